import { checkboxSetting, numberSetting, settingSection, textSetting } from '~/platform/settings/setting.ts'
import { hasAdminWithIssuer } from '../identities.queries.server.ts'
import { isSafeAddress } from '../provider-fetch.server.ts'
import {
	createsAccountsSetting,
	fieldError,
	noAdminError,
	onlyLoginSetting,
	roleSettings,
	trustsEmailSetting,
} from '../shared-settings.ts'
import { certificatesOf, readMetadata, type SamlSettings, samlIssuer } from './saml.server.ts'

const attribute = (label: string, name: string, hint?: string) =>
	textSetting({ label, ...(hint === undefined ? {} : { hint }), default: name, maxLength: 200 })

/** The settings of the login by SAML 2.0. */
export const samlSection = settingSection({
	name: 'saml-login',
	title: 'Login by SAML',
	about:
		'Members log in with their university account, by SAML 2.0. The computing centre gives you the metadata of its login service, and needs the metadata of this site: the address of this site, followed by /login/saml/metadata.',
	isSensitive: true,
	settings: {
		isOn: checkboxSetting({ label: 'Offer the login by SAML' }),
		label: textSetting({ label: 'On the button', default: 'Log in through your university', maxLength: 40 }),
		metadata: textSetting({
			label: 'Metadata of the login service',
			hint: 'Paste its XML, and leave the next three fields empty. Or leave this empty, and fill those in.',
			isLong: true,
			maxLength: 100_000,
		}),
		entityId: textSetting({
			label: 'Entity ID of the login service',
			hint: 'The entityID in its metadata, such as https://idp.campus.example/idp/shibboleth.',
			maxLength: 1_000,
		}),
		address: textSetting({
			label: 'Address of the login',
			hint: 'The SingleSignOnService with the binding HTTP-Redirect in its metadata.',
			maxLength: 1_000,
		}),
		certificates: textSetting({
			label: 'Certificates that it signs with',
			hint: 'As PEM. While the login service changes its key, paste the old and the new certificate below each other.',
			isLong: true,
			maxLength: 20_000,
		}),
		subjectAttribute: attribute(
			'Attribute that never changes',
			'',
			'Leave it empty to go by the persistent NameID. Otherwise an attribute that is never given to anybody else. If you change this later, members have to link the login again.',
		),
		nameAttribute: attribute(
			'Attribute with the name',
			'urn:oid:2.16.840.1.113730.3.1.241',
			'By its Name, not its FriendlyName. The defaults are the names that universities have agreed on.',
		),
		usernameAttribute: attribute('Attribute with the username', 'urn:oid:0.9.2342.19200300.100.1.1'),
		emailAttribute: attribute('Attribute with the email address', 'urn:oid:0.9.2342.19200300.100.1.3'),
		roleAttribute: attribute(
			'Attribute with the role',
			'urn:oid:1.3.6.1.4.1.5923.1.1.1.1',
			'Leave it empty if no attribute tells students and staff apart.',
		),
		...roleSettings,
		trustsEmail: trustsEmailSetting('so nobody can log in with that of somebody else.'),
		registers: createsAccountsSetting('it'),
		hours: numberSetting({
			label: 'End sessions after, in hours',
			hint: 'SAML cannot tell who has left the university, so members who log in with SAML have to log in again after this time.',
			default: 12,
			min: 1,
			max: 720,
		}),
		onlyWay: onlyLoginSetting('a password', 'SAML'),
	},
	async check(values) {
		if (!values.isOn) return
		const own = ['entityId', 'address', 'certificates'] as const
		const isPasted = values.metadata !== ''
		const doubled = own.find((name) => isPasted && values[name] !== '')
		if (doubled) throw fieldError(doubled, 'Leave this empty, or remove the metadata above.')
		const at = (name: (typeof own)[number]) => (isPasted ? 'metadata' : name)
		const needed = 'Login with SAML needs this.'
		for (const name of ['label', 'emailAttribute'] as const) if (values[name] === '') throw fieldError(name, needed)
		const settings = await withFieldErrors('metadata', () => samlSettingsOf(values))
		for (const name of own) if (settings[name] === '') throw fieldError(at(name), needed)
		if (!isSafeAddress(settings.address))
			throw fieldError(at('address'), 'The address of the login has to begin with https://.')
		await withFieldErrors(at('certificates'), async () => certificatesOf(settings.certificates))
	},
	async guard(values, trx) {
		if (values.isOn && values.onlyWay && !(await hasAdminWithIssuer(trx, samlIssuer(await samlSettingsOf(values)))))
			throw noAdminError('SAML')
	},
})

/** The configuration of the identity provider, from its metadata if they were pasted. @throws Error as {@link readMetadata} */
export async function samlSettingsOf<Values extends SamlSettings & { metadata: string }>(
	values: Values,
): Promise<Values> {
	return values.metadata === '' ? values : { ...values, ...(await readMetadata(values.metadata)) }
}

/** Runs a check of the input; its error is shown at the field. */
async function withFieldErrors<Result>(field: string, look: () => Promise<Result>): Promise<Result> {
	return look().catch((error: Error) => {
		throw fieldError(field, error.message)
	})
}
