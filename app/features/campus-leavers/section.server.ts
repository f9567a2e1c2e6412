import { requireDomains } from '~/lib/mail-domains.ts'
import { choiceSetting, domainsSetting, numberSetting, settingSection } from '~/platform/settings/setting.ts'

/** The settings that say what happens to members who have left the university. */
export const leaversSection = settingSection({
	name: 'campus-leavers',
	title: 'People who have left the university',
	about:
		'What happens to the accounts of members who have left, by the directory or by a list at Administration, People who have left.',
	isSensitive: true,
	settings: {
		after: choiceSetting({
			label: 'Their accounts',
			hint: 'A member whose account is to be deleted is told by email 14 days before, and keeps it by logging in. Where the login of the university is the only way in, accounts without a confirmed address outside the university stay. What they wrote in the forum stays, without their name.',
			default: 'keep',
			choices: [
				{ value: 'keep', label: 'Stay' },
				{ value: 'delete', label: 'Are deleted if they do not log in for the number of days below' },
			],
		}),
		days: numberSetting({ label: 'Days without a login', default: 180, min: 30, max: 3_650 }),
		domains: domainsSetting({
			label: 'Domains of the university’s addresses',
			hint: 'Separated by commas. Those of known universities need not be named. Where the login of the university is the only way in, no link for a new password is mailed to such an address 90 days after somebody has left, as it may have passed to somebody else. Where passwords are allowed, such links go to every address of an account.',
		}),
	},
	check: async ({ domains }) => requireDomains('domains', domains),
})
