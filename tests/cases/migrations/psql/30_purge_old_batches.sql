DELETE FROM payments WHERE id IN (SELECT id FROM payments WHERE paid_at < now() - interval '7 years' LIMIT 5000);
