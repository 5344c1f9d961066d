CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TABLE moods (id int PRIMARY KEY, mood mood);
