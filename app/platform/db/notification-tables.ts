import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

/** A timestamp column, and one that may be null. */
export type Timestamp = ColumnType<Date, Date | string | undefined, Date | string>
export type NullableTimestamp = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>

interface NotificationsTable {
	id: GeneratedAlways<number>
	user_id: number
	kind: string
	group_key: string
	actor_ids: number[]
	act: Generated<string>
	reason: Generated<string>
	count: Generated<number>
	subject_type: string | null
	subject_id: number | null
	part_id: number | null
	title: string
	url: string
	on_site: boolean
	by_mail: boolean
	created_at: Timestamp
	updated_at: Timestamp
	seen_at: NullableTimestamp
	read_at: NullableTimestamp
	mailed_at: NullableTimestamp
}

interface PushSubscriptionsTable {
	id: GeneratedAlways<number>
	user_id: number
	session_id: number
	endpoint: string
	p256dh: string
	auth: string
	created_at: Timestamp
	last_success_at: NullableTimestamp
}

/** The tables of notifications, mails and push. */
export interface NotificationTables {
	notifications: NotificationsTable
	notification_acts: { notification_id: number; part_id: number | null; actor_id: number; url: string | null }
	notification_boxes: {
		user_id: number
		unread: Generated<number>
		mail: Generated<'daily' | 'off'>
		mail_due_at: NullableTimestamp
		mailed_at: NullableTimestamp
	}
	notification_preferences: { user_id: number; kind: string; site: boolean; mail: boolean; push: Generated<boolean> }
	push_subscriptions: PushSubscriptionsTable
	mailed_subjects: { user_id: number; subject_type: string; subject_id: number; upto: number }
	unseen_progress: { kind: string; upto: number }
	muted_subjects: { user_id: number; subject_type: string; subject_id: number; muted_at: Timestamp }
}
