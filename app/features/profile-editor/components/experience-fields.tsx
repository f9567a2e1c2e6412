import type { FormValues, SavedValues } from '~/platform/http/form.ts'
import { Field, Select } from '~/ui/field.tsx'
import { experienceKindNames, experienceKinds, profileLimits as limits } from '../profile.limits.ts'
import { CountedTextArea, FieldGroup } from './fields.tsx'

export const experienceNames = {
	kind: 'What it is',
	organisation: 'Where',
	title: 'Position or subject',
	degree: 'Degree',
	starts: 'From',
	ends: 'To',
	url: 'Link',
	summary: 'Description',
}

/** The initial values of a new entry. */
export const initialExperience: SavedValues = { version: 1, values: {} }

interface ExperienceFieldsProps {
	values: FormValues
	errors: Record<string, string>
	editing: boolean
}

/** The fields of an education, work or volunteering. */
export function ExperienceFields({ values, errors, editing }: ExperienceFieldsProps) {
	const field = (name: keyof typeof experienceNames) => ({
		name,
		label: experienceNames[name],
		defaultValue: values[name] ?? '',
		error: errors[name],
	})
	const month = { optional: true, maxLength: 10, placeholder: '2026-08', autoComplete: 'off' } as const
	return (
		<FieldGroup title={editing ? 'Edit entry' : 'Add an entry'}>
			<Select {...field('kind')} required defaultValue={values.kind || 'work'}>
				{experienceKinds.map((kind) => (
					<option key={kind} value={kind}>
						{experienceKindNames[kind]}
					</option>
				))}
			</Select>
			<Field
				{...field('organisation')}
				required
				maxLength={limits.institution}
				placeholder="A company, a club, a school"
			/>
			<Field {...field('title')} optional maxLength={limits.title} placeholder="Software intern" />
			<Field {...field('degree')} optional maxLength={limits.title} hint="For studies only, such as B.Tech." />
			<Field {...field('starts')} {...month} hint="A year, or year and month." />
			<Field {...field('ends')} {...month} hint="Leave it empty if it goes on." />
			<div className="sm:col-span-2">
				<Field {...field('url')} optional inputMode="url" maxLength={limits.url} placeholder="https://" />
			</div>
			<div className="sm:col-span-2">
				<CountedTextArea {...field('summary')} optional maxLength={limits.description} rows={4} />
			</div>
		</FieldGroup>
	)
}
