import type { FormRefusal } from '~/platform/http/form.ts'
import { Field } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'

interface CodeFormProps {
	action: string
	refusal: FormRefusal | null | undefined
	/** The label of the button. */
	label: string
	/** The value of `intent`, where a page has several forms. */
	intent?: string
	hint?: string
	/** Whether recovery codes are accepted as well. */
	takesRecoveryCodes?: boolean
}

/** Asks for a code of an authenticator app. The field is never filled in again, as a code works once. */
export function CodeForm({ action, refusal, label, intent, hint, takesRecoveryCodes = true }: CodeFormProps) {
	return (
		<Form method="post" action={action} className="mt-6 grid max-w-sm gap-5" data-keeps-draft noValidate>
			<FormError errors={refusal?.errors} names={{ code: 'Code' }}>
				{refusal?.message}
			</FormError>
			<Field
				label="Code"
				name="code"
				autoComplete="one-time-code"
				inputMode={takesRecoveryCodes ? 'text' : 'numeric'}
				autoCapitalize="none"
				spellCheck={false}
				required
				error={refusal?.errors.code}
				hint={hint}
			/>
			<p>
				<SubmitButton busyLabel="Checking..." {...(intent && { name: 'intent', value: intent })}>
					{label}
				</SubmitButton>
			</p>
		</Form>
	)
}
