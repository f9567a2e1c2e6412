import type { Generated, GeneratedAlways } from 'kysely'
import type { NullableTimestamp, Timestamp } from './notification-tables.ts'

interface UsersTable {
	id: Generated<number>
	username: string
	name: string
	email: string
	email_verified: Generated<boolean>
	image: string | null
	role: Generated<'member' | 'moderator' | 'admin'>
	imported: Generated<boolean>
	second_factor: Generated<boolean>
	suspended_until: NullableTimestamp
	suspended_reason: Generated<string>
	approved_at: NullableTimestamp
	/** Since when the campus login says that the member has left; null again after the next login. */
	absent_since: NullableTimestamp
	/** Since when the university says that the member has left it; null again after a login with its login. */
	left_campus_at: NullableTimestamp
	/** The newest version of the terms that was accepted. */
	agreed_to: Generated<number>
	/** For a pseudonym, the member behind it; nobody else may learn that. */
	pseudonym_of: Generated<number | null>
	pseudonym_verified: Generated<boolean | null>
	created_at: Timestamp
	updated_at: Timestamp
}

interface SessionsTable {
	id: Generated<number>
	user_id: number
	token: string
	expires_at: Timestamp
	ip_address: string | null
	user_agent: string | null
	created_at: Timestamp
	updated_at: Timestamp
}

interface CredentialsTable {
	id: Generated<number>
	user_id: number
	account_id: string
	provider_id: string
	password: string | null
}

/** The tables of registration, confirmation and login. */
export interface AccountTables {
	users: UsersTable
	sessions: SessionsTable
	credentials: CredentialsTable
	email_links: {
		token_hash: string
		email: string
		user_id: number | null
		expires_at: Timestamp
		used_at: NullableTimestamp
	}
	known_devices: { token_hash: string; user_id: number; created_at: Generated<Date>; used_at: Generated<Date> }
	attempts: { key: string; count: number; last_at: Timestamp }
	account_mails: { id: GeneratedAlways<number>; address: string; sent_at: Generated<Date> }
	admin_claims: { token_hash: string; created_at: Generated<Date> }
}
