-- A formula is MathML with its source beside it. Where text is shown, only the source is: $…$.

-- As in migration 33, and a formula that the end of the HTML cuts before its source is left out.
create or replace function text_of_html(html text) returns text language sql immutable parallel safe as $text$
  select replace(replace(replace(replace(replace(
    regexp_replace(
      regexp_replace(
        regexp_replace(
          case when html like '%<math%'
            then regexp_replace(regexp_replace(replace(html, '</annotation>', '$'), '<math.*?<annotation.*?>', '$', 'g'), '<math.*', '')
            else html end,
          '<header><span>[^<]*</span></header>|<[^>]*$|&[a-z#0-9]*$', '', 'g'),
        '</?(p|br|hr|blockquote|ul|ol|li|h2|h3|h4|h5|h6|table|tr|th|td|figure|pre)( [^>]*)?>', ' ', 'g'),
      '<[^>]*>', '', 'g'),
    '&lt;', '<'), '&gt;', '>'), '&quot;', '"'), '&#39;', ''''), '&amp;', '&')
$text$;
