import type { Generated, GeneratedAlways } from 'kysely'
import type { MaybeTime, Time } from './schema.ts'

/** The tables of registering, confirming and logging in, beside those that Better Auth owns. */
export interface AccountTables {
	registrations: { email: string; name: string; password_hash: string; device_hash: string; created_at: Time }
	email_links: { token_hash: string; email: string; user_id: number | null; expires_at: Time; used_at: MaybeTime }
	known_devices: { token_hash: string; user_id: number; created_at: Generated<Date>; used_at: Generated<Date> }
	attempts: { key: string; count: number; last_at: Time }
	account_mails: { id: GeneratedAlways<number>; address: string; sent_at: Generated<Date> }
	admin_claims: { token_hash: string; created_at: Generated<Date> }
}
