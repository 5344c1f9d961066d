UPDATE orders SET status = 'open';
