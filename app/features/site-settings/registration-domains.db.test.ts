import { expect, test } from 'vitest'
import '~/features/index.server.ts'
import { isAllowedDomain } from '~/features/accounts/registration/names.server.ts'
import { registrationSettings } from '~/features/accounts/registration/rules.server.ts'
import { Invalid } from '~/lib/errors.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { getSection, saveSection } from './site-settings.server.ts'

useDatabase()

test('domains that may register can be entered as in an address; others are refused', async () => {
	const admin = await makeMember('admin', 'admin')
	const save = async (domains: string) => {
		const { version } = await getSection(admin, 'registration')
		await saveSection(admin, 'registration', {
			mode: 'open',
			domains,
			doModeratorsInvite: '',
			version: String(version),
		})
	}
	await save('@campus.example, *.labs.example')
	const { domains } = registrationSettings()
	expect(domains).toEqual(['campus.example', 'labs.example'])
	expect(isAllowedDomain('mira@campus.example', domains)).toBe(true)
	for (const wrong of ['https://campus.example', 'mira@campus.example', 'campus.example; labs.example']) {
		const error = await save(wrong).catch((thrown: unknown) => thrown)
		expect(error, wrong).toBeInstanceOf(Invalid)
		expect((error as Invalid).message).toContain('is not a domain')
	}
	expect(registrationSettings().domains).toEqual(domains)
})
