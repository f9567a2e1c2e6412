import { Checkbox, Field } from '~/ui/field.tsx'
import { PasswordField } from '~/ui/password-field.tsx'

interface NewAccountFieldsProps {
	/** What was typed before an error, and the errors. */
	values: Record<string, string>
	errors: Record<string, string>
	/** The address, if it is known already: then there is no field for it. */
	email?: string | null
	/** The hint below that field. */
	emailHint?: string
	/** Version of the terms to accept, 0 for none. */
	terms: number
}

/** The fields for a new account, however it is created. */
export function NewAccountFields({
	values,
	errors,
	email = null,
	emailHint = 'Your username will be the part before the @.',
	terms,
}: NewAccountFieldsProps) {
	return (
		<>
			<Field
				label="Full Name"
				name="name"
				autoComplete="name"
				required
				maxLength={100}
				defaultValue={values.name}
				error={errors.name}
			/>
			{email === null ? (
				<Field
					label="Email"
					name="email"
					type="email"
					autoComplete="email"
					required
					defaultValue={values.email}
					error={errors.email}
					hint={emailHint}
				/>
			) : (
				// So that password managers store it with the address.
				<input type="hidden" name="username" autoComplete="username" value={email} readOnly />
			)}
			<PasswordField
				required
				label="Password"
				name="password"
				autoComplete="new-password"
				minLength={8}
				error={errors.password}
				hint="At least 8 characters. A whole sentence works well."
			/>
			<PasswordField
				required
				label="Confirm Password"
				name="confirmPassword"
				autoComplete="new-password"
				error={errors.confirmPassword}
			/>
			<TermsBox version={terms} error={errors.terms} />
		</>
	)
}

/** Labels of the {@link NewAccountFields}, for the error summary. */
export const newAccountFieldNames = {
	name: 'Full Name',
	email: 'Email',
	password: 'Password',
	confirmPassword: 'Confirm Password',
	terms: 'Terms',
}

/**
 * The checkbox to accept the terms; nothing where there are none.
 * @param version of the terms, which the form sends
 */
function TermsBox({ version, error }: { version: number; error?: string | undefined }) {
	if (version === 0) return null
	return (
		<div>
			<Checkbox
				name="terms"
				value={version}
				aria-invalid={error ? true : undefined}
				aria-describedby={error && 'terms-error'}
			>
				I accept the{' '}
				<a className="link" href="/terms" target="_blank" rel="noreferrer">
					terms
				</a>
				. What is stored stands in{' '}
				<a className="link" href="/privacy" target="_blank" rel="noreferrer">
					privacy
				</a>
				.
			</Checkbox>
			{error && (
				<p className="error" id="terms-error">
					{error}
				</p>
			)}
		</div>
	)
}
