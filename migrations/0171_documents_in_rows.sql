-- A search reads the documents of up to 300 questions, and found each by an index of the TOAST table, a fifth of its work. “main” keeps a column
-- in its row as long as the row fits into a page, so that the texts, which only the page of a question shows, are stored elsewhere in its place.
-- It holds for rows as they are written: a question from before moves its document when it is next edited or gets a comment.
alter table questions
  alter column title set storage main,
  alter column excerpt set storage main,
  alter column tags set storage main,
  alter column search set storage main;
