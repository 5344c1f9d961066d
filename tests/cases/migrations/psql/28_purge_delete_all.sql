DELETE FROM coupons;
