import { FROM_UNIVERSITY } from '~/features/campus/campus-fields.view.ts'
import { emailSettingsPath } from '~/features/identity/emails/emails.view.ts'
import { openings, openingsOf } from '~/features/members/self.view.ts'
import type { FormValues } from '~/platform/http/form.ts'
import { ChipsField } from '~/ui/chips-field.tsx'
import { Checkbox, Field, Select } from '~/ui/field.tsx'
import { Link } from '~/ui/link.tsx'
import {
	type AudienceField,
	audienceFieldNames,
	audienceNames,
	audiences,
	profileLimits as limits,
	profileSections,
} from '../profile.limits.ts'
import { CountedTextArea, FieldGroup } from './fields.tsx'
import { ProfilePicture } from './profile-picture.tsx'

export const personalNames = {
	profile_url: 'Profile picture',
	fullName: 'Full Name',
	pronouns: 'Pronouns',
	phone: 'Phone',
	city: 'City',
	expertise_in: 'Expertise in',
	skills: 'Skills',
	about: 'About me',
	status_line: 'Status',
	status_until: 'Shown until',
	open_to: 'Open to',
	open_until: 'Open until',
	show_email: 'Show my email address',
	show_phone: 'Show my phone number',
	listed: 'Appear in the community list and in search engines',
	show_presence: 'Show when I am online',
	public_page: 'Anyone may see my profile',
	noindex: 'Keep my profile out of search engines',
	...audienceFieldNames,
}

interface PersonalFieldsProps {
	values: FormValues
	errors: Record<string, string>
	/** Read-only. */
	email: string
	/** Whether the name follows the university. */
	isNameGiven: boolean
	/** The path of the picture, or ''. */
	picture: string
}

/** Personal details, skills and visibility. */
export function PersonalFields({ values, errors, email, isNameGiven, picture }: PersonalFieldsProps) {
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
				<Field
					{...field('fullName')}
					required
					maxLength={limits.name}
					autoComplete="name"
					hint={isNameGiven && FROM_UNIVERSITY}
				/>
				<Field
					label="Email"
					name="email"
					defaultValue={email}
					disabled
					hint={
						<>
							You log in with it.{' '}
							<Link className="link" to={emailSettingsPath}>
								Change it in Settings
							</Link>
						</>
					}
				/>
				<Field {...field('pronouns')} optional maxLength={limits.pronouns} placeholder="she/her" autoComplete="off" />
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
					<CountedTextArea {...field('about')} optional maxLength={limits.about} rows={6} hint="Markdown works here." />
				</div>
				<Field
					{...field('status_line')}
					optional
					maxLength={limits.status}
					placeholder="Looking for a team for the spring hackathon"
				/>
				<Field
					{...field('status_until')}
					optional
					type="date"
					hint={`The last day of your status. If empty, it ends after ${limits.statusDays} days.`}
				/>
			</FieldGroup>
		</>
	)
}

interface VisibilityFieldsProps {
	values: FormValues
	errors: Record<string, string>
}

/** Openings and visibility. */
export function VisibilityFields({ values, errors }: VisibilityFieldsProps) {
	const openTo = openingsOf((values.open_to ?? '').split(','))
	const box = (name: keyof typeof personalNames) => ({ name, defaultChecked: values[name] === 'on' })
	return (
		<>
			<FieldGroup title="Open to">
				{openings.map((opening) => (
					<Checkbox
						key={opening}
						name="open_to"
						id={`open_to-${opening.replace(' ', '-')}`}
						value={opening}
						defaultChecked={openTo.includes(opening)}
					>
						{opening.replace(/^./, (letter) => letter.toUpperCase())}
					</Checkbox>
				))}
				<Field
					name="open_until"
					label={personalNames.open_until}
					defaultValue={values.open_until ?? ''}
					error={errors.open_until}
					optional
					type="date"
					hint="The last day. After that, you are not shown as open to anything."
				/>
			</FieldGroup>
			<FieldGroup title="What others see">
				<Checkbox {...box('show_email')} hint="Members see it on your profile, visitors never do.">
					{personalNames.show_email}
				</Checkbox>
				<Checkbox {...box('show_phone')} hint="Members see it on your profile, visitors never do.">
					{personalNames.show_phone}
				</Checkbox>
				<Checkbox {...box('listed')} hint="Otherwise only members who have the link to your profile can find you.">
					{personalNames.listed}
				</Checkbox>
				<Checkbox {...box('show_presence')} hint="Otherwise you always appear offline.">
					{personalNames.show_presence}
				</Checkbox>
				<Checkbox
					{...box('public_page')}
					hint="Visitors can open it, and see the sections below that are for everybody."
				>
					{personalNames.public_page}
				</Checkbox>
				<Checkbox {...box('noindex')} hint="If anyone may see it, they need its link to find it.">
					{personalNames.noindex}
				</Checkbox>
			</FieldGroup>
			<FieldGroup title="Who sees which section">
				<p className="text-sm text-ink-3 sm:col-span-2">
					Nobody can find you by something they cannot see. Visitors only see what your card in the community list
					shows, unless your profile is visible to anyone. Moderators see everything.
				</p>
				{profileSections.map((section) => (
					<AudienceSelect key={section} name={`see_${section}`} values={values} errors={errors} />
				))}
			</FieldGroup>
		</>
	)
}

function AudienceSelect({ name, values, errors }: VisibilityFieldsProps & { name: AudienceField }) {
	return (
		<Select required name={name} label={audienceFieldNames[name]} defaultValue={values[name]} error={errors[name]}>
			{audiences.map((audience) => (
				<option key={audience} value={audience}>
					{audienceNames[audience]}
				</option>
			))}
		</Select>
	)
}
