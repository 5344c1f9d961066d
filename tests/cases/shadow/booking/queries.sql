-- name: book
-- calls: 100 per second
INSERT INTO booking (hotel, room, night, guest, status) VALUES ($1, $2, $3, $4, $5);

-- name: free rooms
-- calls: 300 per second
SELECT room FROM booking WHERE hotel = $1 AND night = $2;

-- name: of a guest
-- calls: 80 per second
SELECT * FROM booking WHERE guest = $1;

-- name: occupancy
-- calls: 1 per second
SELECT hotel, count(*) FROM booking WHERE night >= $1 AND night < $2 GROUP BY hotel;

-- name: city
-- calls: 5 per second
SELECT count(*) FROM booking b JOIN hotel h ON h.id = b.hotel WHERE h.city = $1 AND b.night = $2;

-- name: cancel
-- calls: 20 per second
UPDATE booking SET status = 'X' WHERE hotel = $1 AND room = $2 AND night = $3;
