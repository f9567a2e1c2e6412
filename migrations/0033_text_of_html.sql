-- Passages, inbox lines, pushes and mails show text: what Markdown was made of it is read, and not the Markdown itself.

-- The words of HTML that cook() made, also of only its beginning: no tags, no names over blocks of code.
create function text_of_html(html text) returns text language sql immutable parallel safe as $$
  select replace(replace(replace(replace(replace(
    regexp_replace(
      regexp_replace(
        regexp_replace(html, '<header><span>[^<]*</span></header>|<[^>]*$|&[a-z#0-9]*$', '', 'g'),
        '</?(p|br|hr|blockquote|ul|ol|li|h2|h3|h4|h5|h6|table|tr|th|td|figure|pre)( [^>]*)?>', ' ', 'g'),
      '<[^>]*>', '', 'g'),
    '&lt;', '<'), '&gt;', '>'), '&quot;', '"'), '&#39;', ''''), '&amp;', '&')
$$;

drop function readable_text(text);
