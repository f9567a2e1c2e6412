import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { config } from '~/config.server.ts'
import { editQuestion } from '~/features/asking/asking.server.ts'
import { saveDraft } from '~/features/asking/drafts.server.ts'
import { saveBookmark, saveBookmarkNote } from '~/features/bookmarks/bookmarks.server.ts'
import { reportMessage } from '~/features/chat/messages/reporting.server.ts'
import { sendMessage } from '~/features/chat/messages/sending.server.ts'
import { setBlocked } from '~/features/conversations/conversations.server.ts'
import { deleteComment, editComment } from '~/features/discussion/commenting.server.ts'
import { castVote, chooseSolution } from '~/features/discussion/votes.server.ts'
import { saveSearch } from '~/features/following/searches.server.ts'
import { reportSubject } from '~/features/moderation/reports.server.ts'
import { storePicture } from '~/features/pictures/pictures.server.ts'
import { saveAcademics, savePersonal, savePicture, saveSocial } from '~/features/profile-editor/editing.server.ts'
import { addCertificate, addExperience, addProject } from '~/features/profile-editor/items.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { setFollowing } from '~/features/tags/following.server.ts'
import { makeToken } from '~/features/tokens/tokens.server.ts'
import { hashToken } from '~/lib/secrets.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { sendMail } from '~/platform/mail/mail.server.ts'
import { makeMessage } from '../factories/chat.ts'
import { makeComment, makeQuestion } from '../factories/forum.ts'
import { picture } from '../factories/pictures.ts'
import { filled } from '../factories/profiles.ts'

/* Creates a member with marker words in everything that a member can fill, and searches for these words. */

/** Words that occur nowhere else: in forum texts, which may stay, and in everything else. */
export interface PlantedWords {
	texts: string
	own: string
	/** The member's name. */
	name: string
}

export interface Planted {
	/** Questions of the member: under their name, under a pseudonym, and an unanswered one. */
	questions: { id: number; url: string }[]
	/** A question by somebody else that the member answered. */
	answered: { id: number; url: string }
	/** Comments of the member; the first one is a solution. */
	comments: number[]
	/** Paths of pictures. */
	pictures: Record<'profile' | 'project' | 'certificate' | 'post' | 'message', string>
	/** A message with a picture, and a reported one. */
	messages: number[]
}

let drawn = 0

/** A unique picture, as equal ones would be stored once. */
async function blob(): Promise<Blob> {
	drawn += 1
	return new Blob([new Uint8Array(await picture('png', 300 + drawn, 300))])
}

/** Fills everything that a member can fill. @param cast `peer` talks with the member, and `other` asks what the member answers */
export async function plantEverything(
	member: SignedIn,
	cast: { peer: SignedIn; other: SignedIn },
	words: PlantedWords,
): Promise<Planted> {
	const pictures = await fillProfile(member, words)
	const shown = await storePicture(member, 'post', await blob())
	const posts = await fillForum(member, cast.other, words, shown.path)
	await fillOwnPages(member, posts.answered.id, words)
	const { messages, photo } = await fillMessages(member, cast, words.own)
	await fillAccount(member, words.own)
	await fillBehind(member, words.own, posts.answered.id)
	return { ...posts, messages, pictures: { ...pictures, post: shown.path, message: photo } }
}

async function fillProfile(member: SignedIn, { own, name }: PlantedWords) {
	const { username } = member
	await savePersonal(member, username, {
		...filled.personal,
		...{
			fullName: name,
			city: own,
			about: `About ${own}`,
			status_line: own,
			pronouns: own,
			phone: `+${digitsOf(own)}`,
		},
		...{ expertise_in: own, skills: own, version: 1 },
	})
	await saveAcademics(member, username, {
		...filled.academics,
		...{ university_name: own, location: own, enrol_in_branch_name: own, enrolment_number: own },
		...{ university_email: `${own}@eastmere.example`, version: 1 },
	})
	const sites = { github: own, linkedin: own, leetcode: own, codechef: own, geeksforgeek: own, hackerrank: own }
	await saveSocial(member, username, { ...sites, portfolio: `https://${own}.example/`, version: 1 })
	const pictures = {
		profile: (await storePicture(member, 'profile', await blob())).path,
		project: (await storePicture(member, 'project', await blob())).path,
		certificate: (await storePicture(member, 'certificate', await blob())).path,
	}
	await savePicture(member, username, pictures.profile)
	await addProject(member, username, {
		...filled.project,
		...{ project_title: `Project ${own}`, project_description: `It ${own}`, project_tech_stack: own },
		...{ project_source_code_link: `${own}.example/a`, project_deployment_link: `${own}.example/b` },
		...{ project_demo_link: `${own}.example/c`, project_image: pictures.project },
	})
	const place = { organisation: own, title: own, summary: `Did ${own}`, url: `https://${own}.example/`, starts: '2024' }
	await addExperience(member, username, { kind: 'work', ...place })
	await addExperience(member, username, { kind: 'education', degree: own, ...place })
	await addCertificate(member, username, {
		...filled.certificate,
		...{ certificate_title: own, certificate_image: pictures.certificate },
		...{ certificate_url: `${own}.example/d`, credential_verification_link: `${own}.example/e` },
	})
	return pictures
}

async function fillForum(member: SignedIn, other: SignedIn, { texts }: PlantedWords, shown: string) {
	const say = (text: string) => `${text} ${texts}`
	const own = await makeQuestion(member, {
		title: say('How about the'),
		description: `${say('Text')} ![p](/media/${shown}-640.webp)`,
		tags: texts,
	})
	const text = { title: say('What about the'), description: say('Other text'), tags: texts, category: 'others' }
	await editQuestion(member, own.id, { ...text, description: `${text.description} ![p](/media/${shown}-640.webp)` })
	const open = await makeComment(member, own.id, say('My own comment'))
	const answered = await makeQuestion(other, {
		description: `Ask @${member.username}, or see [them](/find-dev/${member.username}) and [that](${own.url}).`,
	})
	const kept = await makeComment(member, answered.id, 'This solved it, as others say.')
	await chooseSolution(other, { questionId: answered.id, commentId: kept })
	const changed = await makeComment(member, answered.id, say('Nobody needs this'))
	await editComment(member, changed, { body: say('Nobody needs this any more'), version: 1 })
	await deleteComment(member, await makeComment(member, answered.id, say('Deleted soon')))
	const hidden = await makeQuestion(member, {
		...{ title: say('Under a pseudonym about'), description: say('Secret'), pseudonym: 'on' },
	})
	const quiet = await makeQuestion(member, { title: say('Nobody knows about'), description: say('Text') })
	await castVote(member, { questionId: answered.id, commentId: null, vote: 1 })
	await castVote(other, { questionId: own.id, commentId: null, vote: 1 })
	return { questions: [own, hidden, quiet], answered, comments: [kept, open, changed] }
}

/** Private pages of the member. */
async function fillOwnPages(member: SignedIn, questionId: number, { own, texts }: PlantedWords): Promise<void> {
	const draft = { title: `Draft ${own}`, description: `Draft ${own}`, tags: own, category: 'others', version: 0 }
	await saveDraft(member, { key: 'ask', ...draft })
	await saveBookmark(member, { kind: 'query', id: questionId })
	await saveBookmarkNote(member, { kind: 'query', id: questionId }, { note: `Note ${own}` })
	await saveSearch(member, { kind: 'queries', query: `q=${own}`, name: own })
	await setFollowing(member, { tag: texts }, true)
	await makeToken(member, { name: own, scopes: ['read'], days: '30' })
	await reportSubject(
		member,
		{ kind: 'query', name: String(questionId) },
		{ reason: 'other', details: `Not nice ${own}` },
	)
}

async function fillMessages(member: SignedIn, { peer, other }: { peer: SignedIn; other: SignedIn }, own: string) {
	await makeMessage(member, peer, 'A word for you.')
	const photo = await storePicture(member, 'message', await blob())
	const shown = await sendMessage(member, {
		...{ to: peer.username, clientId: randomUUID(), body: '' },
		pictures: [{ path: photo.path, alt: own }],
	})
	const { id: bad } = await makeMessage(member, peer, 'Something mean')
	await reportMessage(peer, { with: member.username, id: bad }, { words: 'Mean.' })
	await makeMessage(peer, member, 'Thanks.')
	await setBlocked(member, other.username, true)
	return { photo: photo.path, messages: [shown.id, bad] }
}

/** Rows that a browser, a mail or a job would create. */
async function fillAccount(member: SignedIn, own: string): Promise<void> {
	const { id, username } = member
	await recordSecurityEvent('login', { userId: id })
	await sql`insert into sessions (user_id, token, expires_at, ip_address, user_agent)
		values (${id}, ${`${own}-${id}`}, now() + interval '1 day', '10.0.0.1', ${own})`.execute(db())
	await sql`insert into verifications (identifier, value, expires_at)
		values (${`reset ${own}`}, ${String(id)}, now() + interval '1 day')`.execute(db())
	const to = `${username}@campus.example`
	const mail = { to, subject: own, text: own, html: own }
	await addJob('send-mail', mail)
	await sendMail(mail)
	await sendMail({ ...mail, to: 'other@campus.example', subject: 'News', text: `@${username} commented`, html: '' })
}

/** Digits derived from a word, for telephone numbers. */
export const digitsOf = (word: string) => [...word].map((letter) => letter.charCodeAt(0) % 10).join('')

/** Rows of tables that are deleted with the account, or after days: secrets, identities, pending confirmations. */
async function fillBehind({ id, username }: SignedIn, own: string, questionId: number): Promise<void> {
	const soon = sql`now() + interval '1 hour'`
	const next = `${own}@home.example`
	const rows: [table: string, row: Record<string, unknown>][] = [
		['campus_links', { token_hash: own, user_id: id, email: next, expires_at: soon }],
		[
			'link_requests',
			{
				...{ user_id: id, email: next, provider: own, identity_hash: own, identity_name: own, browser_hash: own },
				...{ link_hash: own, kept: own, expires_at: soon },
			},
		],
		['email_links', { token_hash: own, user_id: id, email: next, expires_at: soon }],
		['email_changes', { token_hash: own, user_id: id, email: next, place: 'second_email', expires_at: soon }],
		['email_undos', { token_hash: own, user_id: id, email: next, second_email: next, expires_at: soon }],
		['registrations', { email: `${username}@campus.example`, name: own, password_hash: own, device_hash: own }],
		['account_mails', { address: hashToken(`${username}@campus.example`) }],
		['mail_bounces', { email: `${username}@campus.example`, user_id: id, status: own, marked_at: soon }],
		['known_devices', { token_hash: own, user_id: id }],
		['login_challenges', { token_hash: own, user_id: id, kept: own, expires_at: soon }],
		['passkeys', { user_id: id, credential_id: own, public_key: Buffer.from(own), transports: [own], name: own }],
		['passkey_challenges', { challenge_hash: own, purpose: 'add', user_id: id, expires_at: soon }],
		['recovery_codes', { user_id: id, hint: own, code_hash: own }],
		['totp_secrets', { user_id: id, secret: own }],
		['campus_fields', { user_id: id, field: 'enrol_in_branch_name', value: own }],
		['identities', { user_id: id, provider: own, issuer: own, subject: own, name: own }],
		['group_roles', { user_id: id, provider: own, group_name: own, lower_group: own, role: 'moderator' }],
		[
			'credentials',
			{
				...{ user_id: id, account_id: own, provider_id: own, password: own, scope: own },
				...{ access_token: own, refresh_token: own, id_token: own },
			},
		],
		['sent_posts', { author_id: id, key: own, digest: own, url: `/forum/others/${username}/1` }],
		['security_events', { user_id: id, kind: 'login', request_id: own, device: own }],
		['hidden_evidence', { user_id: id, name_key: own }],
		['question_asks', { question_id: questionId, user_id: id, round: 1, tag_ids: [], names: [own] }],
	]
	for (const [table, row] of rows)
		await sql`insert into ${sql.table(table)} (${sql.join(Object.keys(row).map(sql.ref))})
			values (${sql.join(Object.values(row))})`.execute(db())
	await sql`insert into own_words (user_id, words) values (${id}, ${[own]})
		on conflict (user_id) do update set words = excluded.words`.execute(db())
	await sql`update users set cohort = ${own}, suspended_reason = ${own}, left_campus_at = now() where id = ${id}`.execute(
		db(),
	)
	await sql`update profiles set campus_name = ${own} where user_id = ${id}`.execute(db())
	await sql`select refresh_similar_words()`.execute(db())
}

/** An identity and a push subscription; last, as a push to this invalid address deletes the subscription. */
export async function insertPushSubscription({ id }: SignedIn, { own }: PlantedWords): Promise<void> {
	await sql`
		with of as (select s.id as session, i.id as identity from sessions s, identities i
			where s.token = ${`${own}-${id}`} and i.subject = ${own}),
		known as (insert into provider_sessions (session_id, identity_id, refresh_token, sid) select session, identity, ${own}, ${own} from of)
		insert into push_subscriptions (user_id, session_id, endpoint, p256dh, auth)
		select ${id}, session, ${`https://${own}.example/`}, ${own}, ${own} from of`.execute(db())
}

/** All rows that contain one of these words, as `table: row`. */
export async function rowsWith(words: readonly string[]): Promise<string[]> {
	const { rows: tables } = await sql<{ name: string }>`
		select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'graphile_worker')`.execute(
		db(),
	)
	const found: string[] = []
	for (const { name } of tables) {
		const { rows } = await sql<{ row: string }>`
			select one::text as row from ${sql.raw(name)} one
			where exists (select from unnest(${[...words]}::text[]) as word where position(lower(word) in lower(one::text)) > 0)`.execute(
			db(),
		)
		found.push(...rows.map(({ row }) => `${name}: ${row.slice(0, 300)}`))
	}
	return found
}

/** All files of the data directory with one of these words in path or content. */
export function filesWith(words: readonly string[], root = config().dataDir): string[] {
	return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => {
		const isFile = statSync(join(root, file)).isFile()
		const text = `${file} ${isFile ? readFileSync(join(root, file), 'latin1') : ''}`.toLowerCase()
		return words.some((word) => text.includes(word))
	})
}

/** Text and binary columns without one of these words in any row, as `table.column`. */
export async function columnsWithout(words: readonly string[]): Promise<string[]> {
	const { rows: columns } = await sql<{ table: string; name: string }>`
		select c.relname as table, a.attname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
		join pg_type t on t.oid = a.atttypid left join pg_type item on item.oid = nullif(t.typelem, 0) and t.typcategory = 'A'
		where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and not a.attisdropped and a.attgenerated = ''
			and (coalesce(item.typcategory, t.typcategory) = 'S' or t.typname in ('json', 'jsonb', 'bytea', 'inet'))
		order by 1, a.attnum`.execute(db())
	const empty: string[] = []
	for (const [table, those] of Map.groupBy(columns, (column) => column.table)) {
		const found = those.map(
			({ name }) => sql`coalesce(bool_or(exists (select from unnest(${[...words]}::text[]) as word
				where position(word in lower(${sql.ref(`one.${name}`)}::text)) > 0)), false) as ${sql.ref(name)}`,
		)
		const { rows } = await sql<Record<string, boolean>>`
			select ${sql.join(found)} from ${sql.table(table)} as one`.execute(db())
		empty.push(...those.filter(({ name }) => !rows[0]?.[name]).map(({ name }) => `${table}.${name}`))
	}
	return empty
}

/** Text columns that no member can fill, by reason. */
export const NOT_PLANTED: Record<string, string[]> = {
	'One of a few words of the program.': [
		...['categories.asking', 'chat_settings.accepts', 'comments.status', 'counters.name', 'drafts.key'],
		...['email_changes.place', 'experiences.kind', 'identities.affiliation', 'invite_lists.state'],
		...['group_roles.role', 'group_roles.former_role', 'campus_fields.field'],
		...['legal_versions.kind', 'milestones.name', 'migrations.name', 'moderation_log.act', 'moderation_log.kind'],
		...['cases.kind', 'mailed_subjects.subject_type', 'muted_subjects.subject_type', 'notification_boxes.mail'],
		...['notification_preferences.kind', 'notifications.act', 'notifications.group_key', 'notifications.kind'],
		...['notifications.subject_type', 'outdated_marks.reason', 'passkey_challenges.purpose', 'pictures.kind'],
		...['profiles.only_me', 'profiles.open_to', 'profiles.public_sections', 'questions.status', 'reports.reason'],
		...['saved_searches.kind', 'security_events.kind', 'site_settings.section', 'skill_evidence.kind'],
		...[
			'terms.kind',
			'unseen_progress.kind',
			'users.role',
			'access_tokens.scopes',
			'takedowns.state',
			'directory_checks.state',
		],
		...['question_pins.place', 'setup_marks.step', 'takedown_items.kind', 'weekly_reads.kind', 'weekly_storage.part'],
		...['webhooks.events', 'webhook_deliveries.event', 'webhook_deliveries.state'],
	],
	'A number, a date, a colour, or an id in words.': [
		...['experiences.ends', 'experiences.starts', 'pictures.colour', 'sessions.ip_address'],
		...['skill_evidence.source', 'notification_acts.url', 'verifications.value', 'archives.name'],
		'question_vectors.vector',
	],
	'A name of a category, of a term, of a set of terms, of a reason or of a backup, which admins give.': [
		...['categories.slug', 'categories.tags', 'categories.title', 'drafts.category', 'former_slugs.slug'],
		...['revisions.category', 'start_sets.name', 'start_sets.hash', 'term_spellings.key', 'term_spellings.spelling'],
		...['vocabulary_terms.name', 'vocabulary_terms.tag', 'backups.error', 'backups.trouble', 'backups.file'],
		...['categories.required_tags', 'reports.reason_label'],
	],
	'A hash of what is random, or of what is counted.': [
		...['access_tokens.last_four', 'access_tokens.token_hash', 'admin_claims.token_hash', 'attempts.key'],
		...[
			'invited_addresses.token_hash',
			'invites.token_hash',
			'left_usernames.hash',
			'logout_tokens.hash',
			'rate_limits.key',
			'site_logos.path',
		],
	],
	'For minutes, and encrypted: an answer on its way that is nobody’s yet.': [
		...['saml_requests.answer', 'saml_requests.id', 'saml_requests.ticket_hash'],
	],
	'Of a profile while it is hidden, which it is until the account goes; and of pictures whose rows are gone.': [
		...['profiles.hidden_image', 'profiles.hidden_reason', 'forgotten_pictures.path'],
	],
	'Of texts that were imported, whose authors are no members.': [
		...['comments.licence', 'comments.source_id', 'comments.source_url'],
		...['questions.licence', 'questions.source', 'questions.source_id', 'questions.source_url'],
	],
	'Words of moderators and numbers, in rows that go with the member.': [
		...['takedowns.counts', 'takedowns.reason', 'takedown_items.before'],
	],
	'Where the mail server is.': ['setup_marks.about'],
	'Where other servers are, what admins call them, the encrypted secret, and how requests to them failed.': [
		...['webhooks.name', 'webhooks.url', 'webhooks.secret', 'webhook_deliveries.error'],
	],
	'As a text that stands beside it.': ['messages.recipient_body', 'messages.recipient_html'],
}
