import { Form } from 'react-router'
import { Field, TextArea } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'

/** Takes a résumé, as a file or as text. */
export function ImportForm({ message, errors }: { message: string; errors: Record<string, string> }) {
	return (
		<Form method="post" encType="multipart/form-data" className="mt-6 grid gap-5">
			<FormError errors={errors} names={{ document: 'The résumé', file: 'File' }}>
				{message}
			</FormError>
			<Field
				label="File"
				name="file"
				type="file"
				accept=".json,application/json"
				hint="At most 1 MB."
				error={errors.file ?? errors.document}
			/>
			<TextArea
				label="Or paste its text"
				name="text"
				rows={8}
				spellCheck={false}
				placeholder='{ "basics": { "name": "…" } }'
			/>
			<p>
				<SubmitButton className="btn btn-primary" busyLabel="Reading">
					Preview
				</SubmitButton>
			</p>
		</Form>
	)
}
