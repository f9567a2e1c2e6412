import type { Config } from '~/config.server.ts'
import { describeLockout } from '~/features/campus-login/lockout.server.ts'
import { decryptSecret } from '~/platform/encryption.server.ts'
import type { StoredSection } from '~/platform/settings/settings.queries.server.ts'
import { secretPurpose } from '~/platform/settings/settings.server.ts'
import { askDatabase } from './database.ts'
import { type Finding, findings } from './finding.ts'

const say = findings('Saved secrets')

/** The form of an encrypted text: a version, and at least an initialization vector and a tag. */
const encrypted = /^v1\.[\w-]{38,}$/

/** Checks whether the secrets that admins saved in the settings can still be decrypted; nothing where there are none. */
export async function checkSavedSecrets(settings: Config): Promise<Finding[]> {
	const sections = await askDatabase(settings, async (client) => {
		const { rows } = await client.query<Pick<StoredSection, 'section' | 'texts'>>(
			'select section, texts from site_settings order by section',
		)
		return rows
	}).catch(() => [])
	// An unavailable database is reported by its own check.
	const secrets = sections.flatMap(({ section, texts }) =>
		Object.entries(texts).flatMap(([name, text]) => (encrypted.test(text) ? [{ section, name, text }] : [])),
	)
	if (secrets.length === 0) return []
	const lockout = describeLockout(sections)
	const lost = secrets.filter(({ section, name, text }) => {
		return decryptSecret(secretPurpose({ name: section }, name), text) === null
	})
	const places = [...new Set(lost.map(({ section }) => `/admin/settings/${section}`))]
	if (lockout) return [say.fault(lockout)]
	if (places.length === 0) return [say.ok('The secrets in the settings can be decrypted.')]
	return [
		say.fault(
			`Secrets that were saved at ${places.join(', ')} cannot be decrypted and count as not saved: they were saved with another AUTH_SECRET or DATA_DIR/auth-secret. Restore that, or save them there again.`,
		),
	]
}
