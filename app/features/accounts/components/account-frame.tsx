import type { ReactNode } from 'react'
import { Checkbox } from '~/ui/checkbox.tsx'
import { Field } from '~/ui/field.tsx'
import { PasswordField } from '~/ui/password-field.tsx'
import { SectionHeading } from '~/ui/rule-head.tsx'

interface AccountFrameProps {
	title: string
	/** One line below the title. */
	lead: ReactNode
	/** A link above the title. */
	back?: ReactNode
	children?: ReactNode
}

/** The layout of account pages: a form on the left, and from 1024 px the benefits of an account on the right. */
export function AccountFrame({ title, lead, back, children }: AccountFrameProps) {
	return (
		<div className="-mb-16 grid grid-cols-1 lg:min-h-[calc(100dvh-3.5rem)] lg:grid-cols-2">
			<div className="w-full max-w-sm py-10 max-lg:mx-auto lg:py-12">
				{back}
				<h1 className="text-3xl font-bold">{title}</h1>
				<p className="mt-1 text-ink-2">{lead}</p>
				{children}
			</div>
			<aside className="hidden border-l border-line py-12 pl-12 lg:block" aria-labelledby="why">
				<SectionHeading id="why" title="What you can do with an account" />
				<ul>
					{reasons.map(([heading, text]) => (
						<li key={heading} className="border-b border-line py-3.5">
							<p className="text-lg font-semibold">{heading}</p>
							<p className="mt-1 max-w-[52ch] text-ink-2">{text}</p>
						</li>
					))}
				</ul>
			</aside>
		</div>
	)
}

interface NewAccountFieldsProps {
	/** What was typed before an error, and the errors. */
	values: Record<string, string>
	errors: Record<string, string>
	/** The field of the address, or its replacement. */
	email: ReactNode
	/** Version of the terms to accept, 0 for none. */
	terms: number
}

/** The fields for a new account, however it is created. */
export function NewAccountFields({ values, errors, email, terms }: NewAccountFieldsProps) {
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
			{email}
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

const reasons = [
	['Ask and get answers', 'Ask the whole campus. Members answer your question.'],
	['Share what you know', 'Comment on a query or reply in a thread. You can use Markdown and code.'],
	['Be found', 'Your profile shows what you know and what you are building, so that others can find you.'],
	['Find others', 'See full profiles: skills, projects, and who wants to mentor or collaborate.'],
] as const
