import { ModerationFrame } from '~/features/moderation/components/moderation-frame.tsx'
import { requirePageModerator } from '~/features/moderation/members.server.ts'
import { MAX_TERM_NAME } from '~/features/terms/terms.view.ts'
import { cleanLine } from '~/lib/clean.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { Field } from '~/ui/field.tsx'
import { Link } from '~/ui/link.tsx'
import { ActForm, ownRefusal, TermActPreview, usePreviewHeading } from '../components/act-form.tsx'
import { answerAct } from '../requests.server.ts'
import { describeWord } from '../vocabulary.server.ts'
import { newTermPath, termsPath } from '../vocabulary.view.ts'
import type { Route } from './+types/new-term'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = await requirePageModerator({ request, context, url })
		const word = cleanLine(url.searchParams.get('word') ?? '').slice(0, MAX_TERM_NAME)
		return { word, ...describeWord(viewer, word) }
	})
}

/** Makes a word a term, or a spelling of the term that the form names. */
export function action({ request, context, url }: Route.ActionArgs) {
	return answerAct({ request, context, url }, 0)
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Add a term', noindex: true })
}

export default function NewTerm({ loaderData: { word, known, similar }, actionData }: Route.ComponentProps) {
	const preview = actionData && 'changes' in actionData ? actionData : null
	const refusal = actionData && 'errors' in actionData ? actionData : null
	const heading = usePreviewHeading(preview)
	const here = newTermPath(word)
	const added = ownRefusal(refusal, 'add')
	const joined = ownRefusal(refusal, 'join')
	return (
		<ModerationFrame title={word ? `“${word}”` : 'Add a term'} heading={heading}>
			<p className="mt-4">
				<Link className="link" to={termsPath}>
					All terms
				</Link>
			</p>
			{preview && <TermActPreview preview={preview} action={here} back={here} />}
			{known && <p className="mt-4 text-ink-2">This is a spelling of a term already.</p>}
			{word && (
				<ActForm
					act="join"
					title="A spelling of a term"
					label="Add spelling"
					action={here}
					refusal={refusal}
					names={{ into: 'Term' }}
				>
					<input type="hidden" name="word" value={word} />
					<Field
						label="Term"
						name="into"
						required
						maxLength={MAX_TERM_NAME}
						autoCapitalize="none"
						defaultValue={joined ? joined.values.into : similar}
						error={joined?.errors.into}
					/>
				</ActForm>
			)}
			<ActForm
				act="add"
				title="A term of its own"
				label="Add term"
				action={here}
				refusal={refusal}
				names={{ name: 'Name' }}
			>
				<Field
					label="Name"
					name="name"
					required
					maxLength={MAX_TERM_NAME}
					defaultValue={added ? added.values.name : word}
					error={added?.errors.name}
					hint="As its makers spell it. The tag is derived from it."
				/>
			</ActForm>
		</ModerationFrame>
	)
}
