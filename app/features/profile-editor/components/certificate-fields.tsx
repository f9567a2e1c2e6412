import { FormPicture } from '~/features/pictures/components/picture-field.tsx'
import type { FormValues, SavedValues } from '~/platform/http/form.ts'
import { Field } from '~/ui/field.tsx'
import { profileLimits as limits } from '../profile.limits.ts'
import { FieldGroup } from './fields.tsx'

export const certificateNames = {
	certificate_title: 'Title',
	certificate_issue_date: 'Issue date',
	certificate_expire_date: 'Expiry date',
	credential_verification_link: 'Verification link',
	certificate_url: 'Certificate link',
	certificate_image: 'Image',
}

/** The initial values of a new certificate. */
export const initialCertificate: SavedValues = { version: 1, values: {} }

interface CertificateFieldsProps {
	values: FormValues
	errors: Record<string, string>
	editing: boolean
}

/** The fields of a certificate. */
export function CertificateFields({ values, errors, editing }: CertificateFieldsProps) {
	const field = (name: keyof typeof certificateNames) => ({
		name,
		label: certificateNames[name],
		defaultValue: values[name] ?? '',
		error: errors[name],
	})
	return (
		<FieldGroup
			title={editing ? 'Edit certificate' : 'Add a certificate'}
			aside={
				<FormPicture
					name="certificate_image"
					label="Image"
					needed="A certificate needs an image."
					kind="certificate"
					path={values.certificate_image ?? ''}
					error={errors.certificate_image}
				/>
			}
		>
			<div className="sm:col-span-2">
				<Field {...field('certificate_title')} required maxLength={limits.title} />
			</div>
			<Field {...field('certificate_issue_date')} optional type="date" />
			<Field {...field('certificate_expire_date')} optional type="date" />
			<div className="sm:col-span-2">
				<Field
					{...field('credential_verification_link')}
					optional
					inputMode="url"
					maxLength={limits.url}
					placeholder="https://"
				/>
			</div>
			<div className="sm:col-span-2">
				<Field {...field('certificate_url')} optional inputMode="url" maxLength={limits.url} placeholder="https://" />
			</div>
		</FieldGroup>
	)
}
