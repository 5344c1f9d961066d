-- hot: public.booking
CREATE TABLE hotel (id int PRIMARY KEY, city text NOT NULL);
CREATE TABLE booking (hotel int NOT NULL, room int NOT NULL, night date NOT NULL, guest int NOT NULL, status char(1) NOT NULL, PRIMARY KEY (hotel, room, night));
CREATE INDEX ON booking (guest);
CREATE INDEX ON booking (night);
