import type { FormValues } from '~/platform/http/form.ts'
import { Check } from '~/ui/check.tsx'
import { ChipsField } from '~/ui/chips-field.tsx'
import { Field } from '~/ui/field.tsx'
import { profileLimits as limits, profileSections, sectionNames } from '../profile.limits.ts'
import { CountedText, FieldGroup } from './fields.tsx'
import { ProfilePicture } from './profile-picture.tsx'

export const personalNames = {
	profile_url: 'Profile picture',
	fullName: 'Full Name',
	phone: 'Phone',
	city: 'City',
	expertise_in: 'Expertise in',
	skills: 'Skills',
	about: 'About me',
	open_to: 'Open to',
	show_email: 'Show my email address',
	show_phone: 'Show my phone number',
	listed: 'Appear in the community list and in search engines',
	show_presence: 'Show when I am online',
	only_me: 'Only I see',
}

interface PersonalFieldsProps {
	values: FormValues
	errors: Record<string, string>
	/** Shown and never changed here. */
	email: string
	/** The path of the picture, or ''. */
	picture: string
}

/** Who a member is, what they know, and what others see of it. */
export function PersonalFields({ values, errors, email, picture }: PersonalFieldsProps) {
	const field = (name: keyof typeof personalNames) => ({
		name,
		label: personalNames[name],
		defaultValue: values[name] ?? '',
		error: errors[name],
	})
	return (
		<>
			<FieldGroup title="Picture">
				<div className="sm:col-span-2">
					<ProfilePicture label={personalNames.profile_url} path={picture} error={errors.profile_url} />
				</div>
			</FieldGroup>
			<FieldGroup title="About you">
				<Field {...field('fullName')} required maxLength={limits.name} autoComplete="name" />
				<Field
					label="E-mail"
					name="email"
					defaultValue={email}
					disabled
					hint="You log in with it. It cannot be changed."
				/>
				<Field {...field('phone')} optional type="tel" maxLength={limits.phone} autoComplete="tel" />
				<Field {...field('city')} optional maxLength={limits.city} autoComplete="address-level2" />
				<div className="sm:col-span-2">
					<Field
						{...field('expertise_in')}
						optional
						maxLength={limits.expertise}
						placeholder="Full-stack web, small data tools"
					/>
				</div>
				<ChipsField
					className="sm:col-span-2"
					{...field('skills')}
					optional
					most={limits.skills}
					longest={limits.skill}
					source="/suggest/skills"
				/>
				<div className="sm:col-span-2">
					<CountedText {...field('about')} optional maxLength={limits.about} rows={6} />
				</div>
			</FieldGroup>
		</>
	)
}

/** What a member is open to, and what others see. */
export function VisibilityFields({ values }: { values: FormValues }) {
	const openTo = (values.open_to ?? '').split(/,\s*/)
	const onlyMe = (values.only_me ?? '').split(/,\s*/)
	const box = (name: keyof typeof personalNames) => ({ name, defaultChecked: values[name] === 'on' })
	return (
		<>
			<FieldGroup title="Open to">
				<Check name="open_to" id="open_to-mentoring" value="mentoring" defaultChecked={openTo.includes('mentoring')}>
					Mentoring
				</Check>
				<Check
					name="open_to"
					id="open_to-collaborating"
					value="collaborating"
					defaultChecked={openTo.includes('collaborating')}
				>
					Collaborating
				</Check>
			</FieldGroup>
			<FieldGroup title="What others see">
				<Check {...box('show_email')} hint="Members see it on your profile, visitors never do.">
					{personalNames.show_email}
				</Check>
				<Check {...box('show_phone')} hint="Members see it on your profile, visitors never do.">
					{personalNames.show_phone}
				</Check>
				<Check {...box('listed')} hint="Otherwise only members who have the link to your profile can find you.">
					{personalNames.listed}
				</Check>
				<Check {...box('show_presence')} hint="Otherwise you always appear offline.">
					{personalNames.show_presence}
				</Check>
			</FieldGroup>
			<FieldGroup title={personalNames.only_me}>
				<p className="text-sm text-ink-3 sm:col-span-2">
					Other members and visitors do not see what you choose here, and do not find you by it. Moderators see it.
				</p>
				{profileSections.map((section) => (
					<Check
						key={section}
						name="only_me"
						id={`only_me-${section}`}
						value={section}
						defaultChecked={onlyMe.includes(section)}
					>
						{sectionNames[section]}
					</Check>
				))}
			</FieldGroup>
		</>
	)
}
