import { type CampusField, FROM_UNIVERSITY } from '~/features/campus/campus-fields.view.ts'
import type { FormValues } from '~/platform/http/form.ts'
import { SuggestField } from '~/ui/combobox.tsx'
import { Field } from '~/ui/field.tsx'
import { profileLimits as limits } from '../profile.limits.ts'
import { FieldGroup } from './fields.tsx'

export const academicsNames = {
	university_name: 'University',
	enrol_in_branch_name: 'Branch',
	location: 'Location',
	current_year: 'Current year',
	current_semester: 'Current semester',
	year_of_passing: 'Year of passing',
	enrolment_number: 'Enrolment number',
	university_email: 'University email',
}

interface AcademicsFieldsProps {
	values: FormValues
	errors: Record<string, string>
	/** The fields that follow the university. */
	fromUniversity: readonly CampusField[]
}

/** The fields of a member's studies, all of them optional. */
export function AcademicsFields({ values, errors, fromUniversity }: AcademicsFieldsProps) {
	const field = (name: keyof typeof academicsNames, hint = '') => ({
		name,
		hint: fromUniversity.some((one) => one === name) ? [hint && `${hint}.`, FROM_UNIVERSITY].join(' ').trim() : hint,
		label: academicsNames[name],
		defaultValue: values[name] ?? '',
		error: errors[name],
		optional: true,
	})
	return (
		<>
			<FieldGroup title="Studies">
				<div className="sm:col-span-2">
					<SuggestField {...field('university_name')} source="/suggest/universities" maxLength={limits.institution} />
				</div>
				<Field {...field('enrol_in_branch_name')} maxLength={limits.institution} placeholder="Computer Science" />
				<Field {...field('location')} maxLength={limits.institution} />
				<Field {...field('current_year', `1 to ${limits.years}`)} {...whole(1, limits.years)} />
				<Field {...field('current_semester', `1 to ${limits.semesters}`)} {...whole(1, limits.semesters)} />
				<Field
					{...field('year_of_passing', 'Four digits, for example 2028')}
					{...whole(limits.passing.from, limits.passing.to)}
				/>
			</FieldGroup>
			<FieldGroup title="Enrolment" note="Only you see these two.">
				<Field {...field('enrolment_number')} maxLength={limits.enrolmentNumber} autoComplete="off" />
				<Field
					{...field('university_email')}
					type="email"
					maxLength={limits.email}
					autoCapitalize="none"
					hint="If you change it, you have to confirm it again."
				/>
			</FieldGroup>
		</>
	)
}

const whole = (min: number, max: number) => ({ type: 'number', inputMode: 'numeric', min, max, step: 1 }) as const
