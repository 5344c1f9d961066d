-- Lines an order should have and lines it has. A line whose amount is wrong counts as one lost and one too many.
WITH have AS (
    SELECT ol_w_id AS w, ol_d_id AS d, ol_o_id AS o, count(*) AS lines, sum(ol_amount) AS total
    FROM public.order_line GROUP BY 1, 2, 3
), compared AS (
    SELECT o_id, coalesce(o_ol_cnt, 0) AS should, coalesce(lines, 0) AS lines,
           (coalesce(o_ol_cnt, 0) = coalesce(lines, 0) AND o_total IS DISTINCT FROM total)::int AS changed
    FROM public.orders FULL JOIN have ON (w, d, o) = (o_w_id, o_d_id, o_id)
)
SELECT count(o_id), sum(lines)::bigint,
       sum(greatest(should - lines, 0) + changed)::bigint,
       sum(greatest(lines - should, 0) + changed)::bigint
FROM compared
