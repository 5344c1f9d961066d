CREATE TABLE slots (room int NOT NULL, during tstzrange NOT NULL);
ALTER TABLE slots ADD CONSTRAINT slots_free EXCLUDE USING gist (during WITH &&);
