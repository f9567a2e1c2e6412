-- Votes, chosen solutions, lists of a tag in every order, descriptions and synonyms of tags, and who follows what.

create table query_votes (
  user_id   integer not null references users (id) on delete cascade,
  query_id  integer not null references queries (id) on delete cascade,
  value     smallint not null check (value in (-1, 1)),
  voted_at  timestamptz not null default now(),
  primary key (user_id, query_id)
);
create index query_votes_query on query_votes (query_id);

create table comment_votes (
  user_id     integer not null references users (id) on delete cascade,
  comment_id  integer not null references comments (id) on delete cascade,
  value       smallint not null check (value in (-1, 1)),
  voted_at    timestamptz not null default now(),
  primary key (user_id, comment_id)
);
create index comment_votes_comment on comment_votes (comment_id);

-- A score is what the source of an import gave plus the votes. The tables keep it themselves, so that no way in can miss it.
create function count_query_vote() returns trigger language plpgsql as $$
begin
  update queries set score = score + coalesce(new.value, 0) - coalesce(old.value, 0) where id = coalesce(new.query_id, old.query_id);
  return null;
end
$$;
create trigger count_query_vote after insert or update or delete on query_votes for each row execute function count_query_vote();

create function count_comment_vote() returns trigger language plpgsql as $$
begin
  update comments set score = score + coalesce(new.value, 0) - coalesce(old.value, 0) where id = coalesce(new.comment_id, old.comment_id);
  return null;
end
$$;
create trigger count_comment_vote after insert or update or delete on comment_votes for each row execute function count_comment_vote();

alter table comments add column chosen_at timestamptz;
comment on column comments.chosen_at is 'when it was chosen as a solution; null for imported ones';

create index queries_solved on queries (created_at desc, id desc) where deleted_at is null and solved;
create index queries_category_solved on queries (category_id, created_at desc, id desc) where deleted_at is null and solved;

-- What orders and narrows a tag's list stands beside the tag, so that each of its lists is one range of one index.
alter table query_tags
  add column active_at timestamptz,
  add column unanswered boolean,
  add column solved boolean;
update query_tags set active_at = q.active_at, unanswered = q.comment_count = 0, solved = q.solved
  from queries q where q.id = query_tags.query_id;
alter table query_tags
  alter column active_at set not null,
  alter column unanswered set not null,
  alter column solved set not null;
create index query_tags_active on query_tags (tag_id, active_at desc, query_id desc);
create index query_tags_unanswered on query_tags (tag_id, created_at desc, query_id desc) where unanswered;
create index query_tags_solved on query_tags (tag_id, created_at desc, query_id desc) where solved;

create function fill_query_tag() returns trigger language plpgsql as $$
begin
  select active_at, comment_count = 0, solved into new.active_at, new.unanswered, new.solved from queries where id = new.query_id;
  return new;
end
$$;
create trigger fill_query_tag before insert on query_tags for each row execute function fill_query_tag();

create function follow_query() returns trigger language plpgsql as $$
begin
  update query_tags set active_at = new.active_at, unanswered = new.comment_count = 0, solved = new.solved where query_id = new.id;
  return null;
end
$$;
create trigger follow_query after update of active_at, comment_count, solved on queries for each row
  when ((old.active_at, old.comment_count = 0, old.solved) is distinct from (new.active_at, new.comment_count = 0, new.solved))
  execute function follow_query();

alter table tags add column description text not null default '' check (length(description) <= 500);

create table tag_synonyms (
  name        text primary key check (name = lower(name) and length(name) between 1 and 35),
  main        text not null check (main = lower(main) and length(main) between 1 and 35 and main <> name),
  created_at  timestamptz not null default now()
);
comment on table tag_synonyms is 'a tag written as name is kept as main; no main is itself a synonym';
create index tag_synonyms_main on tag_synonyms (main);

create table follows (
  user_id      integer not null references users (id) on delete cascade,
  tag_id       integer references tags (id) on delete cascade,
  category_id  integer references categories (id) on delete cascade,
  followed_at  timestamptz not null default now(),
  check (num_nonnulls(tag_id, category_id) = 1),
  unique (user_id, tag_id),
  unique (user_id, category_id)
);
create index follows_tag on follows (tag_id, user_id) where tag_id is not null;
create index follows_category on follows (category_id, user_id) where category_id is not null;

-- Other spellings of languages and tools: names and aliases of GitHub Linguist and Devicon (both MIT), as in
-- app/features/members/data/skills.txt, of which only those stand here that mean one thing to everybody.
-- A site that uses one of them as a tag already keeps it, until a moderator joins the two.
create temporary table spellings (main text, names text[]);
insert into spellings values
  ('.net', '{dotnet,dot-net}'),
  ('accessibility', '{a11y}'),
  ('actionscript', '{actionscript-3,as3}'),
  ('after-effects', '{aftereffects,adobe-after-effects}'),
  ('alpine.js', '{alpinejs}'),
  ('angular', '{angular.js-2,angular2}'),
  ('angularjs', '{angular.js,angular-js}'),
  ('apache-kafka', '{kafka,apachekafka}'),
  ('apache-spark', '{spark,apachespark}'),
  ('arduino', '{arduino-ide,arduino-uno}'),
  ('artificial-intelligence', '{ai}'),
  ('asp.net', '{aspnet,asp-net}'),
  ('asp.net-core', '{aspnet-core,aspnetcore}'),
  ('assembly', '{asm,assembler}'),
  ('autohotkey', '{ahk}'),
  ('aws', '{amazon-web-services,amazonwebservices,amazon-aws}'),
  ('azure', '{microsoft-azure,microsoftazure}'),
  ('babel', '{babeljs,babel.js}'),
  ('bash', '{bash-script,bash-scripting}'),
  ('batch-file', '{batchfile,dosbatch}'),
  ('c#', '{csharp,c-sharp}'),
  ('c++', '{cpp,cplusplus,c-plus-plus}'),
  ('capacitor', '{capacitorjs,capacitor.js}'),
  ('cassandra', '{apache-cassandra}'),
  ('ci-cd', '{cicd,ci/cd}'),
  ('coffeescript', '{coffee-script}'),
  ('common-lisp', '{commonlisp}'),
  ('continuous-integration', '{ci}'),
  ('couchdb', '{apache-couchdb,couch-db}'),
  ('crystal', '{crystallang,crystal-lang}'),
  ('css', '{css3,cascading-style-sheets}'),
  ('cypress', '{cypressio,cypress.io}'),
  ('d', '{dlang}'),
  ('d3.js', '{d3,d3js}'),
  ('dart', '{dartlang,google-dart}'),
  ('data-science', '{datascience}'),
  ('data-structures', '{datastructures,data-structure}'),
  ('deep-learning', '{deeplearning}'),
  ('deno', '{denojs}'),
  ('devops', '{dev-ops}'),
  ('django-rest-framework', '{djangorest,drf}'),
  ('dockerfile', '{docker-file}'),
  ('docker-compose', '{docker-composer,dockercompose}'),
  ('elasticsearch', '{elastic-search}'),
  ('electron', '{electronjs,electron.js}'),
  ('eleventy', '{11ty}'),
  ('elixir', '{elixirlang,elixir-lang}'),
  ('elm', '{elmlang,elm-lang}'),
  ('emacs-lisp', '{elisp}'),
  ('ember.js', '{ember,emberjs}'),
  ('entity-framework-core', '{ef-core,entityframeworkcore}'),
  ('excel', '{microsoft-excel,ms-excel}'),
  ('express', '{expressjs,express.js}'),
  ('f#', '{fsharp,f-sharp}'),
  ('fastify', '{fastifyjs,fastify.js}'),
  ('firebase', '{google-firebase}'),
  ('freecodecamp', '{free-code-camp}'),
  ('game-development', '{gamedev,game-dev}'),
  ('gatsby', '{gatsbyjs,gatsby.js}'),
  ('gcc', '{gnu-compiler-collection}'),
  ('github-actions', '{githubactions,github-action}'),
  ('go', '{golang,go-lang}'),
  ('google-cloud', '{gcp,google-cloud-platform}'),
  ('google-colab', '{colab,google-colaboratory}'),
  ('graphql', '{graph-ql}'),
  ('groovy', '{groovylang,apache-groovy}'),
  ('grunt', '{gruntjs,grunt.js}'),
  ('gulp', '{gulpjs,gulp.js}'),
  ('hadoop', '{apache-hadoop}'),
  ('handlebars', '{handlebarsjs,handlebars.js}'),
  ('haskell', '{haskell-lang}'),
  ('html', '{html5,xhtml}'),
  ('hugo', '{gohugo}'),
  ('illustrator', '{adobe-illustrator}'),
  ('intellij-idea', '{intellij,intellijidea}'),
  ('internet-of-things', '{iot}'),
  ('internship', '{internships}'),
  ('interviews', '{interview}'),
  ('jasmine', '{jasminejs}'),
  ('java', '{java-lang,javalang}'),
  ('javascript', '{js,ecmascript,java-script,javascript-es6,es6}'),
  ('jetpack-compose', '{android-jetpack-compose}'),
  ('jinja', '{jinja2}'),
  ('jquery', '{jqueryjs,jquery.js}'),
  ('json', '{javascript-object-notation}'),
  ('julia', '{julialang,julia-lang}'),
  ('jupyter-notebook', '{jupyter,jupyternotebook,ipython-notebook}'),
  ('kotlin', '{kotlinlang,kotlin-lang}'),
  ('kubernetes', '{k8s}'),
  ('latex', '{la-tex}'),
  ('less', '{lesscss,less-css}'),
  ('lua', '{lualang}'),
  ('machine-learning', '{ml,machinelearning}'),
  ('makefile', '{makefiles}'),
  ('markdown', '{md}'),
  ('material-ui', '{mui,materialui}'),
  ('maven', '{apache-maven,mvn}'),
  ('mern', '{mern-stack}'),
  ('mongodb', '{mongo,mongo-db}'),
  ('mongoose', '{mongoosejs,mongoose.js}'),
  ('multithreading', '{multi-threading}'),
  ('mysql', '{my-sql}'),
  ('natural-language-processing', '{nlp}'),
  ('nestjs', '{nest.js,nest-js}'),
  ('neural-networks', '{neural-network,neuralnetworks}'),
  ('next.js', '{nextjs,next-js}'),
  ('nim', '{nimlang,nim-lang}'),
  ('node.js', '{node,nodejs,node-js}'),
  ('npm', '{npmjs}'),
  ('nuxt', '{nuxt.js,nuxtjs}'),
  ('objective-c', '{obj-c,objectivec,objc}'),
  ('objective-c++', '{obj-c++}'),
  ('object-oriented-programming', '{oop,object-oriented}'),
  ('opencv', '{open-cv,cv2}'),
  ('operating-systems', '{operating-system}'),
  ('perl', '{perl5}'),
  ('photoshop', '{adobe-photoshop}'),
  ('php', '{php-hypertext-preprocessor}'),
  ('postgresql', '{postgres,psql,pgsql,postgre-sql}'),
  ('power-bi', '{powerbi}'),
  ('powershell', '{pwsh,power-shell}'),
  ('premiere-pro', '{adobe-premiere-pro,adobe-premiere}'),
  ('protobuf', '{protocol-buffers,protocol-buffer}'),
  ('pug', '{pugjs}'),
  ('python', '{py,py3,python3,python-3}'),
  ('python-2', '{python2,py2}'),
  ('pytorch', '{py-torch}'),
  ('q#', '{qsharp}'),
  ('r', '{rlang,r-lang}'),
  ('raku', '{perl6,perl-6}'),
  ('raspberry-pi', '{rpi,raspi,raspberrypi}'),
  ('react', '{reactjs,react.js,react-js}'),
  ('react-native', '{reactnative}'),
  ('react-router', '{reactrouter,react-router-dom}'),
  ('redux', '{reduxjs,redux.js}'),
  ('regex', '{regexp,regular-expression,regular-expressions}'),
  ('remix', '{remix.run,remixrun}'),
  ('rest', '{rest-api,rest-apis,restful}'),
  ('restructuredtext', '{rst}'),
  ('resume', '{résumé,resumes}'),
  ('rollup', '{rollupjs,rollup.js}'),
  ('ros', '{robot-operating-system}'),
  ('ruby', '{rb,rubylang}'),
  ('ruby-on-rails', '{rails,ror}'),
  ('rust', '{rustlang,rust-lang}'),
  ('sass', '{scss}'),
  ('scala', '{scalalang,scala-lang}'),
  ('scikit-learn', '{sklearn,scikit,scikitlearn}'),
  ('sequelize', '{sequelizejs,sequelize.js}'),
  ('shell', '{shell-script,shell-scripting}'),
  ('socket.io', '{socketio,socket-io}'),
  ('solidity', '{soliditylang}'),
  ('spring-boot', '{springboot}'),
  ('spring', '{springframework,spring-framework}'),
  ('sql-server', '{mssql,microsoft-sql-server,ms-sql}'),
  ('standard-ml', '{sml}'),
  ('storybook', '{storybookjs}'),
  ('subversion', '{svn,apache-subversion}'),
  ('svelte', '{sveltejs,svelte.js}'),
  ('sveltekit', '{svelte-kit}'),
  ('swift', '{swiftlang,swift-lang}'),
  ('tailwind-css', '{tailwind,tailwindcss}'),
  ('tensorflow', '{tensor-flow}'),
  ('three.js', '{threejs,three-js}'),
  ('traefik', '{traefikproxy}'),
  ('typescript', '{ts,type-script}'),
  ('ui-design', '{ui}'),
  ('uml', '{unified-modeling-language}'),
  ('unity', '{unity3d}'),
  ('unreal-engine', '{unrealengine}'),
  ('ux-design', '{ux}'),
  ('vba', '{visual-basic-for-applications}'),
  ('vb.net', '{vbnet,visual-basic-.net}'),
  ('vim-script', '{viml,vimscript}'),
  ('visual-basic', '{visualbasic}'),
  ('visual-studio', '{visualstudio}'),
  ('vs-code', '{vscode,visual-studio-code,visualstudiocode}'),
  ('vue', '{vue.js,vuejs,vue-js}'),
  ('web-development', '{webdev,web-dev}'),
  ('webassembly', '{wasm,web-assembly}'),
  ('webpack', '{webpackjs}'),
  ('websocket', '{websockets,web-sockets,web-socket}'),
  ('windows-forms', '{winform}'),
  ('yaml', '{yml}'),
  ('zig', '{ziglang,zig-lang}');
insert into tag_synonyms (name, main)
  select given.name, main from spellings, unnest(names) as given (name)
  where not exists (select 1 from tags where tags.name = given.name and query_count > 0);
-- They have a page, and can be followed, before anybody asks about them.
insert into tags (name) select main from spellings order by main on conflict do nothing;
drop table spellings;
