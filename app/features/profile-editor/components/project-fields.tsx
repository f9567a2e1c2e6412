import { FormPicture } from '~/features/pictures/components/picture-field.tsx'
import type { FormValues, SavedValues } from '~/platform/http/form.ts'
import { ChipsField } from '~/ui/chips-field.tsx'
import { Field } from '~/ui/field.tsx'
import { profileLimits as limits } from '../profile.limits.ts'
import { CountedTextArea, FieldGroup } from './fields.tsx'

export const projectNames = {
	project_title: 'Title',
	project_date: 'Date',
	project_description: 'Description',
	project_tech_stack: 'Tech stack',
	project_deployment_link: 'Live link',
	project_demo_link: 'Demo link',
	project_source_code_link: 'Source code link',
	project_image: 'Image',
}

/** The initial values of a new project. */
export const initialProject: SavedValues = { version: 1, values: {} }

interface ProjectFieldsProps {
	values: FormValues
	errors: Record<string, string>
	editing: boolean
}

/** The fields of a project. */
export function ProjectFields({ values, errors, editing }: ProjectFieldsProps) {
	const field = (name: keyof typeof projectNames) => ({
		name,
		label: projectNames[name],
		defaultValue: values[name] ?? '',
		error: errors[name],
	})
	const link = { optional: true, inputMode: 'url', maxLength: limits.url, placeholder: 'https://' } as const
	return (
		<FieldGroup
			title={editing ? 'Edit project' : 'Add a project'}
			aside={
				<FormPicture
					name="project_image"
					label="Image"
					optional
					kind="project"
					path={values.project_image ?? ''}
					error={errors.project_image}
				/>
			}
		>
			<Field {...field('project_title')} required maxLength={limits.title} />
			<Field {...field('project_date')} optional type="date" />
			<div className="sm:col-span-2">
				<CountedTextArea {...field('project_description')} optional maxLength={limits.description} rows={4} />
			</div>
			<ChipsField
				className="sm:col-span-2"
				{...field('project_tech_stack')}
				optional
				most={limits.stack}
				longest={limits.skill}
				source="/suggest/skills"
			/>
			<Field {...field('project_deployment_link')} {...link} />
			<Field {...field('project_demo_link')} {...link} />
			<div className="sm:col-span-2">
				<Field {...field('project_source_code_link')} {...link} />
			</div>
		</FieldGroup>
	)
}
