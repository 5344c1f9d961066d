-- an empty table takes the place of the DEFAULT partition for a moment: none is needed while all rows have a home
SET lock_timeout = '2s';
ALTER TABLE event DETACH PARTITION event_2026_01;
