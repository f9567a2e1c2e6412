import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { AccountTables } from './account-tables.ts'
import type { NotificationTables, NullableTimestamp, Timestamp } from './notification-tables.ts'

export interface ProfilesTable {
	user_id: number
	phone: Generated<string>
	city: Generated<string>
	expertise_in: Generated<string>
	about: Generated<string>
	open_to: Generated<string[]>
	university_name: Generated<string>
	location: Generated<string>
	enrol_in_branch_name: Generated<string>
	year_of_passing: number | null
	current_semester: number | null
	current_year: number | null
	enrolment_number: Generated<string>
	university_email: Generated<string>
	github: Generated<string>
	linkedin: Generated<string>
	leetcode: Generated<string>
	portfolio: Generated<string>
	hackerrank: Generated<string>
	codechef: Generated<string>
	geeksforgeek: Generated<string>
	show_email: Generated<boolean>
	show_phone: Generated<boolean>
	last_seen_at: NullableTimestamp
	personal_version: Generated<number>
	academics_version: Generated<number>
	social_version: Generated<number>
	listed: Generated<boolean>
	show_presence: Generated<boolean>
	campus_name: Generated<string>
	campus_verified_at: NullableTimestamp
	campus_reminded_at: NullableTimestamp
	hidden_at: NullableTimestamp
	hidden_reason: Generated<string>
	hidden_image: Generated<string | null>
	first_steps_dismissed: Generated<boolean>
	public_sections: Generated<string[]>
	public_page: Generated<boolean>
	noindex: Generated<boolean>
	about_html: Generated<string | null>
	open_until: Generated<string | null>
	status_line: Generated<string>
	status_until: Generated<string | null>
	pronouns: Generated<string>
}

export interface CampusLinksTable {
	token_hash: string
	user_id: number
	email: string
	expires_at: Timestamp
}

/** Only published posts are listed, counted and found. A pending one waits for a moderator. */
export type PostStatus = 'published' | 'pending' | 'hidden' | 'merged' | 'deleted'

export interface QuestionsTable {
	id: Generated<number>
	author_id: number
	category_id: number
	title: string
	description: string
	description_html: string
	excerpt: string
	tags: Generated<string[]>
	created_at: Timestamp
	edited_at: NullableTimestamp
	active_at: Timestamp
	comment_count: Generated<number>
	score: Generated<number>
	solved: Generated<boolean>
	source: string | null
	source_id: string | null
	source_url: string | null
	licence: string | null
	search: Generated<string>
	version: Generated<number>
	locked_at: NullableTimestamp
	merged_into: number | null
	was_merged_into: number | null
	status: Generated<PostStatus>
	status_reason: Generated<string>
	status_by: number | null
	status_at: NullableTimestamp
	/** Whether it has been pending or refused ever since it was written. */
	never_published: Generated<boolean>
}

export interface CommentsTable {
	id: Generated<number>
	question_id: number
	author_id: number
	parent_id: number | null
	path: number[]
	depth: GeneratedAlways<number>
	body: string
	body_html: string
	created_at: Timestamp
	edited_at: NullableTimestamp
	is_solution: Generated<boolean>
	chosen_at: NullableTimestamp
	was_solution: Generated<boolean>
	left_weight: number | null
	score: Generated<number>
	source_id: string | null
	source_url: string | null
	licence: string | null
	version: Generated<number>
	status: Generated<Exclude<PostStatus, 'merged'>>
	status_reason: Generated<string>
	status_by: number | null
	status_at: NullableTimestamp
	never_published: Generated<boolean>
}

export interface CasesTable {
	id: GeneratedAlways<number>
	/** The type of the subject. */
	kind: string
	target_id: number
	report_count: Generated<number>
	waits: Generated<boolean>
	active_at: Timestamp
	closed_at: NullableTimestamp
}

export interface ReportsTable {
	id: GeneratedAlways<number>
	case_id: number
	reporter_id: number
	reason: 'spam' | 'off-topic' | 'abusive' | 'other'
	details: Generated<string>
	created_at: Timestamp
	settled_at: NullableTimestamp
}

export interface ModerationLogTable {
	id: GeneratedAlways<number>
	at: Timestamp
	actor_id: number
	act: string
	kind: CasesTable['kind']
	target_id: number
	member_id: number
	why: Generated<string>
	facts: ColumnType<Record<string, unknown>, string | undefined, never>
}

export interface AccessTokensTable {
	id: GeneratedAlways<number>
	user_id: number
	name: string
	token_hash: string
	last_four: string
	scopes: ('read' | 'write' | 'messages:read' | 'messages:write' | 'moderate')[]
	created_at: Timestamp
	expires_at: Timestamp
	last_used_at: NullableTimestamp
}

export interface MessagesTable {
	id: GeneratedAlways<number>
	conversation_id: number
	sender_id: number
	recipient_id: number | null
	client_id: string
	body: string
	html: string
	recipient_body: string | null
	recipient_html: string | null
	sent_at: Timestamp
	edited_at: NullableTimestamp
	deleted_at: NullableTimestamp
	version: number
	pictures: ColumnType<MessagePicture[] | null, string | null | undefined, string | null>
	search: GeneratedAlways<string | null>
}

/** A picture as stored with a message. */
interface MessagePicture {
	path: string
	width: number
	height: number
	alt: string
}

export interface ConversationMembersTable {
	conversation_id: number
	user_id: number
	last_message_id: number | null
	unread: Generated<number>
	read_id: Generated<number>
	delivered_id: Generated<number>
	muted: Generated<boolean>
	pending: Generated<boolean>
}

/** Every table that our own statements use, as the migrations create them. */
export interface Database extends NotificationTables, AccountTables {
	usernames: { username: string; claimed_at: Timestamp }
	security_events: {
		id: GeneratedAlways<string>
		user_id: number
		kind: string
		request_id: string
		device: string
		at: Timestamp
	}
	session_revocations: { id: GeneratedAlways<string>; user_id: number; at: Timestamp }
	access_tokens: AccessTokensTable
	counters: { name: 'members' | 'questions'; value: ColumnType<string, never, never> }
	milestones: { name: string; reached_at: Timestamp }
	profiles: ProfilesTable
	campus_links: CampusLinksTable
	skills: { id: GeneratedAlways<number>; name: string; name_key: string; member_count: Generated<number> }
	profile_skills: { user_id: number; skill_id: number; position: number; evidence_hidden: Generated<boolean> }
	projects: {
		project_id: Generated<string>
		user_id: number
		project_title: string
		project_image: string | null
		project_source_code_link: Generated<string>
		project_deployment_link: Generated<string>
		project_demo_link: Generated<string>
		project_tech_stack: Generated<string[]>
		project_date: string | null
		project_description: Generated<string>
		position: Generated<number>
		version: Generated<number>
		created_at: Timestamp
	}
	certificates: {
		certificate_id: Generated<string>
		user_id: number
		certificate_title: string
		certificate_url: Generated<string>
		certificate_image: string | null
		certificate_issue_date: string | null
		certificate_expire_date: string | null
		credential_verification_link: Generated<string>
		position: Generated<number>
		version: Generated<number>
		created_at: Timestamp
	}
	pictures: {
		path: string
		user_id: number
		kind: 'profile' | 'certificate' | 'project' | 'post' | 'message' | 'logo'
		width: number
		height: number
		bytes: number
		colour: string
		created_at: Timestamp
	}
	forgotten_pictures: { path: string; forgotten_at: Timestamp }
	terms: {
		id: GeneratedAlways<number>
		kind: string
		key: string
		label: string
		members: Generated<number>
		public_members: Generated<number>
	}
	member_search: {
		user_id: number
		block: GeneratedAlways<number>
		terms: number[]
		facets: Generated<number[]>
		public_terms: Generated<number[]>
		seen_at: Timestamp
	}
	connections: { id: string; user_id: number; session_id: number; seen_at: Timestamp }
	tags: { id: GeneratedAlways<number>; name: string; question_count: Generated<number>; description: Generated<string> }
	follows: { user_id: number; tag_id: number | null; category_id: number | null; followed_at: Timestamp }
	questions: QuestionsTable
	/** The last three columns are maintained by triggers. */
	question_tags: {
		tag_id: number
		question_id: number
		created_at: Timestamp
		active_at: ColumnType<Date, never, never>
		unanswered: ColumnType<boolean, never, never>
		solved: ColumnType<boolean, never, never>
	}
	question_votes: { user_id: number; question_id: number; value: number; voted_at: Timestamp }
	comment_votes: { user_id: number; comment_id: number; value: number; voted_at: Timestamp }
	comments: CommentsTable
	post_pictures: {
		path: string
		question_id: number | null
		comment_id: number | null
		draft_id: number | null
		revision_id: number | null
	}
	cases: CasesTable
	reports: ReportsTable
	moderation_log: ModerationLogTable
	conversations: {
		id: GeneratedAlways<number>
		lower_id: number
		higher_id: number
		started_by: number
		version: Generated<number>
		created_at: Timestamp
	}
	conversation_members: ConversationMembersTable
	messages: MessagesTable
	message_pictures: { path: string; message_id: number }
	reported_pictures: { path: string; report_id: number }
	reported_messages: {
		report_id: number
		message_id: number
		extract: ColumnType<unknown, string, never>
		reported_at: Timestamp
	}
	blocks: { blocker_id: number; blocked_id: number; blocked_at: Timestamp }
	own_words: { user_id: number; words: string[]; up_to: Generated<number>; made_at: Timestamp }
	chat_settings: {
		user_id: number
		accepts: Generated<'members' | 'verified' | 'nobody'>
		shows_typing: Generated<boolean>
	}
	similar_helped: { id: GeneratedAlways<number>; question_id: number; user_id: number | null; at: Timestamp }
	sent_posts: {
		author_id: number
		key: string
		digest: string
		post_id: number | null
		url: string | null
		sent_at: Timestamp
	}
	revisions: {
		id: GeneratedAlways<number>
		question_id: number
		comment_id: number | null
		editor_id: number
		by_moderator: boolean
		made_at: Timestamp
		title: string | null
		description: string | null
		tags: string[] | null
		category: string | null
		category_id: number | null
		body: string | null
	}
}
