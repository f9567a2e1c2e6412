import { skillPath } from '~/features/members/members.view.ts'
import { ModerationFrame } from '~/features/moderation/components/moderation-frame.tsx'
import { requirePageModerator } from '~/features/moderation/members.server.ts'
import type { Term as TermLink } from '~/features/terms/terms.view.ts'
import { MAX_TERM_DESCRIPTION, MAX_TERM_NAME } from '~/features/terms/terms.view.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import type { FormRefusal } from '~/platform/http/form.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { Field, TextArea } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { ActForm, ownRefusal, TermActPreview, usePreviewHeading } from '../components/act-form.tsx'
import { answerAct } from '../requests.server.ts'
import { getTerm } from '../vocabulary.server.ts'
import { type TermPageView, termPath, termsPath } from '../vocabulary.view.ts'
import type { Route } from './+types/term'

export function loader({ request, params, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => getTerm(await requirePageModerator({ request, context, url }), Number(params.id)))
}

/** Previews an action, or carries it out. */
export function action({ request, params, context, url }: Route.ActionArgs) {
	return answerAct({ request, context, url }, Number(params.id))
}

export function meta({ loaderData, matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: loaderData ? `${loaderData.name}: term` : 'Term', noindex: true })
}

export default function TermPage({ loaderData: term, actionData }: Route.ComponentProps) {
	const preview = actionData && 'changes' in actionData ? actionData : null
	const refusal = actionData && 'errors' in actionData ? actionData : null
	// A spelling has no form of its own.
	const removal = ownRefusal(refusal, 'remove-alias')
	const heading = usePreviewHeading(preview)
	return (
		<ModerationFrame title={term.name} heading={heading}>
			<p className="mt-4">
				<Link className="link" to={termsPath}>
					All terms
				</Link>
			</p>
			{preview && <TermActPreview preview={preview} action={termPath(term.id)} back={termPath(term.id)} />}
			{removal && (
				<div className="mt-4 max-w-[36rem]">
					<FormError>{removal.message}</FormError>
				</div>
			)}
			<About term={term} />
			<Acts key={JSON.stringify(term)} term={term} refusal={refusal} />
		</ModerationFrame>
	)
}

function About({ term: { name, tag, description, aliases, parents, children, uses, id } }: { term: TermPageView }) {
	return (
		<>
			{description && <p className="mt-4 max-w-[40rem] text-ink-2 wrap-anywhere">{description}</p>}
			<dl className="mt-4 grid items-baseline gap-x-4 sm:grid-cols-[8rem_1fr] sm:gap-y-2 max-sm:[&>dd]:mb-2">
				<dt className="meta">Used in</dt>
				<dd>
					{uses.length === 0 ? (
						<span className="text-ink-3">nothing yet</span>
					) : (
						<Link className="link" to={skillPath(name)}>
							{uses.join(', ')}
						</Link>
					)}
				</dd>
				<dt className="meta">Tag</dt>
				<dd>
					<Link className="tag" to={`/forum/tag/${encodeURIComponent(tag)}`}>
						{tag}
					</Link>
				</dd>
				{parents.length > 0 && <Relatives title="Part of" terms={parents} />}
				{children.length > 0 && <Relatives title="Includes" terms={children} />}
				<dt className="meta">Also written</dt>
				<dd>
					{aliases.length === 0 && <span className="text-ink-3">in no other way</span>}
					<Form method="post" action={termPath(id)} className="flex flex-wrap gap-1.5" replace>
						<input type="hidden" name="intent" value="remove-alias" />
						{aliases.map((alias) => (
							<button
								key={alias}
								className="chip"
								type="submit"
								name="alias"
								value={alias}
								aria-label={`Remove ${alias} from ${name}`}
							>
								{alias} <span aria-hidden="true">×</span>
							</button>
						))}
					</Form>
				</dd>
			</dl>
		</>
	)
}

function Relatives({ title, terms }: { title: string; terms: TermLink[] }) {
	return (
		<>
			<dt className="meta">{title}</dt>
			<dd className="flex flex-wrap gap-x-3 gap-y-1">
				{terms.map((term) => (
					<Link key={term.id} className="link" to={termPath(term.id)}>
						{term.name}
					</Link>
				))}
			</dd>
		</>
	)
}

function Acts({ term, refusal }: { term: TermPageView; refusal: FormRefusal | null }) {
	const action = termPath(term.id)
	const common = { action, refusal }
	const of = (act: Parameters<typeof ownRefusal>[1], field: string, stored = '') => {
		const own = ownRefusal(refusal, act)
		return { name: field, defaultValue: own ? (own.values[field] ?? '') : stored, error: own?.errors[field] }
	}
	return (
		<>
			<ActForm {...common} act="add-alias" title="Another spelling" label="Add spelling" names={{ alias: 'Spelling' }}>
				<Field
					{...of('add-alias', 'alias')}
					label="Spelling"
					required
					maxLength={MAX_TERM_NAME}
					autoCapitalize="none"
					hint="Upper and lower case, spaces, dots and hyphens make no difference."
				/>
			</ActForm>
			<ActForm {...common} act="rename" title="Another name" label="Rename" names={{ name: 'Name' }}>
				<Field
					{...of('rename', 'name', term.name)}
					label="Name"
					required
					maxLength={MAX_TERM_NAME}
					hint="The old name becomes a spelling of it, and the tag stays the same."
				/>
			</ActForm>
			<ActForm {...common} act="merge" title="Merge" label="Merge" names={{ into: 'Other term' }}>
				<Field
					{...of('merge', 'into')}
					label="Other term"
					required
					maxLength={MAX_TERM_NAME}
					autoCapitalize="none"
					hint="The term to keep. This term becomes a spelling of it."
				/>
			</ActForm>
			<ActForm
				{...common}
				act="describe"
				title="Description"
				label="Save"
				names={{ description: 'Description', parents: 'Part of' }}
			>
				<TextArea
					{...of('describe', 'description', term.description)}
					label="Description"
					rows={3}
					maxLength={MAX_TERM_DESCRIPTION}
				/>
				<Field
					{...of('describe', 'parents', term.parents.map(({ name }) => name).join(', '))}
					label="Part of"
					autoCapitalize="none"
					hint="Other terms, separated by commas, such as JavaScript for React."
				/>
			</ActForm>
		</>
	)
}
