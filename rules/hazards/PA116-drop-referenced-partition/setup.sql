DELETE FROM payment WHERE booking_day < '2026-01-01';
