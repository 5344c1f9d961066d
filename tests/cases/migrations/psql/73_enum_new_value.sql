ALTER TYPE payment_state ADD VALUE IF NOT EXISTS 'refunded';
