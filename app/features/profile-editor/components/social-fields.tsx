import type { FormValues } from '~/platform/http/form.ts'
import { Field } from '~/ui/field.tsx'
import { profileLimits as limits } from '../profile.limits.ts'
import { siteNames } from '../profile.schema.ts'
import { FieldGroup } from './fields.tsx'

export const socialNames = {
	github: 'Github',
	linkedin: 'Linkedin',
	leetcode: 'Leetcode',
	portfolio: 'Portfolio',
	hackerrank: 'Hackerrank',
	codechef: 'Codechef',
	geeksforgeek: 'Geeksforgeek',
}

/** The member's pages on other sites: a handle or an address each. */
export function SocialFields({ values, errors }: { values: FormValues; errors: Record<string, string> }) {
	return (
		<FieldGroup title="Your other profiles" note="Your username there, or a link.">
			{siteNames.map((site) => (
				<Field
					key={site}
					name={site}
					label={socialNames[site]}
					defaultValue={values[site] ?? ''}
					error={errors[site]}
					optional
					maxLength={limits.url}
					inputMode="url"
					autoComplete="off"
					autoCapitalize="none"
					spellCheck={false}
					placeholder={site === 'portfolio' ? 'https://' : undefined}
				/>
			))}
		</FieldGroup>
	)
}
