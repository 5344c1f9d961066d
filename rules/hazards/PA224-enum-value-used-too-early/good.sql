ALTER TYPE mood ADD VALUE 'curious';
INSERT INTO moods VALUES (1, 'curious');
