DELETE FROM payments;
