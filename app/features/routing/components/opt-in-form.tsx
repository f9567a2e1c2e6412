import { Form } from '~/ui/link.tsx'
import { ChoiceButtons } from '~/ui/settings-page.tsx'
import { ANSWER_PATH, OPT_IN_SENTENCE } from '../routing.view.ts'

const choices = [
	['opt-out', 'Do not ask me'],
	['opt-in', 'Ask me'],
] as const

/** Sets whether the member may be asked about new queries; submits on change. @param from the address it returns to */
export function OptInForm({ optedIn, from }: { optedIn: boolean; from: string }) {
	return (
		<>
			<Form method="post" action={ANSWER_PATH} className="flex flex-wrap gap-2 py-2" preventScrollReset>
				<input type="hidden" name="from" value={from} />
				<ChoiceButtons name="intent" choices={choices} chosen={optedIn ? 'opt-in' : 'opt-out'} />
			</Form>
			<p className="text-sm text-ink-3">{OPT_IN_SENTENCE}</p>
		</>
	)
}
