-- Every line is written once more when its order ends. On a full page that was a row on another page and two new index entries, whose
-- predecessors leave gaps in indexes that nothing fills: their keys grow with time. With half of each page free, the new row fits beside
-- the old one and the indexes stay as they are. The pages cost as much space as the index entries did.
alter table order_lines set (fillfactor = 50);
