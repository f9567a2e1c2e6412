import { config, isSetInEnvironment } from '~/config.server.ts'
import { log } from '~/lib/log.server.ts'
import { decryptSecret } from '~/platform/encryption.server.ts'
import type { SettingSection } from '~/platform/settings/setting.ts'
import { readStoredSections, type StoredSection } from '~/platform/settings/settings.queries.server.ts'
import { secretPurpose } from '~/platform/settings/settings.server.ts'
import { ldapSection } from './ldap-section.server.ts'
import { campusSection, isOpenToAnybody } from './sections.server.ts'

/** The logins that need a secret, and may be the only ones. */
const logins: { section: Pick<SettingSection, 'name' | 'title'>; secret: string; called: string }[] = [
	{ section: campusSection, secret: 'clientSecret', called: 'client secret' },
	{ section: ldapSection, secret: 'bindPassword', called: 'bind password' },
]

type Saved = Pick<StoredSection, 'section' | 'texts'>

/**
 * Explains that passwords are disabled, and the login that replaces them cannot work, as the secret by which its settings were
 * encrypted has changed.
 * @param sections the saved sections of settings
 * @returns null where it is not so
 */
export function describeLockout(sections: readonly Saved[]): string | null {
	for (const { section, secret, called } of logins) {
		const texts = sections.find((saved) => saved.section === section.name)?.texts ?? {}
		const stored = texts[secret]
		if (texts.isOn !== 'on' || !isOnlyWay(texts.onlyWay) || !stored) continue
		if (decryptSecret(secretPurpose(section, secret), stored) !== null) continue
		return `${section.title} is the only way in, and its ${called} cannot be decrypted: it was saved with another AUTH_SECRET or DATA_DIR/auth-secret. Restore that, or start the site with CAMPUS_LOGIN_ONLY=false, log in with a password (“Forgot Password?” sets one), and save the ${called} again at /admin/settings/${section.name}.`
	}
	return null
}

/**
 * Explains that anybody can log in, by settings that were saved before a claim had to be named for such an issuer.
 * @param sections the saved sections of settings
 * @returns null where it is not so
 */
export function describeOpenLogin(sections: readonly Saved[]): string | null {
	const {
		isOn,
		issuer = '',
		requiredClaim = '',
	} = sections.find(({ section }) => section === campusSection.name)?.texts ?? {}
	if (isOn !== 'on' || requiredClaim !== '' || !URL.canParse(issuer) || !isOpenToAnybody(issuer)) return null
	return `Anybody can have an account with ${issuer}, the issuer of the campus login, so anybody can log in. Enter the claim that members must have at /admin/settings/${campusSection.name}.`
}

/** Logs at the start that nobody, or anybody, can log in, and what to do. */
export async function reportLockout(): Promise<undefined> {
	const sections = await readStoredSections()
	const [lockout, opening] = [describeLockout(sections), describeOpenLogin(sections)]
	if (lockout) log.error(lockout)
	if (opening) log.warn(opening)
}

function isOnlyWay(saved: string | undefined): boolean {
	return isSetInEnvironment('CAMPUS_LOGIN_ONLY') ? config().CAMPUS_LOGIN_ONLY === true : saved === 'on'
}
