import type { FormRefusal } from '~/platform/http/form.ts'
import { TextArea } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { MAX_TAG_DESCRIPTION } from '../tags.limits.ts'
import { type TagPageView, type TagView, tagPath } from '../tags.view.ts'
import { FollowButton } from './follow-button.tsx'

interface TagIntroProps {
	tag: TagPageView
	related: TagView[]
	/** Whether the viewer may edit the description. */
	mayDescribe: boolean
	/** Whether the form of the description is open. */
	describing: boolean
	refusal: FormRefusal | null
}

/** The description, synonyms and related tags of a tag, and the follow button. */
export function TagIntro({ tag, related, mayDescribe, describing, refusal }: TagIntroProps) {
	const { name, description, synonyms, parents, children, following } = tag
	return (
		<div className="mt-2 grid gap-2.5">
			{describing && mayDescribe ? (
				<DescribeForm tag={tag} refusal={refusal} />
			) : (
				description && <p className="max-w-[44rem] text-ink-2 wrap-anywhere">{description}</p>
			)}
			<TagLine title="Part of" names={parents} />
			<TagLine title="Includes" names={children} />
			<TagLine title="Often used with" names={related.map((other) => other.name)} />
			<div className="flex flex-wrap items-center gap-x-3 gap-y-2">
				<FollowButton key={name} target={{ tag: name }} name={`#${name}`} following={following} />
				{synonyms.length > 0 && <span className="meta wrap-anywhere">Also written {synonyms.join(', ')}</span>}
				{mayDescribe && !describing && (
					<Link className="btn btn-sm btn-ghost" to={`${tagPath(name)}?describe=1`} rel="nofollow">
						{description ? 'Edit description' : 'Describe this tag'}
					</Link>
				)}
			</div>
		</div>
	)
}

function TagLine({ title, names }: { title: string; names: string[] }) {
	if (names.length === 0) return null
	return (
		<p className="flex flex-wrap items-baseline gap-x-2.5 gap-y-2">
			<span className="meta">{title}</span>
			{names.map((name) => (
				<Link key={name} className="tag" to={tagPath(name)}>
					{name}
				</Link>
			))}
		</p>
	)
}

function DescribeForm({ tag, refusal }: { tag: TagPageView; refusal: FormRefusal | null }) {
	const address = `${tagPath(tag.name)}?describe=1`
	return (
		<Form method="post" action={address} className="grid max-w-[44rem] gap-3">
			<FormError errors={refusal?.errors} names={{ description: 'Description' }}>
				{refusal?.message}
			</FormError>
			<TextArea
				label="Description"
				name="description"
				rows={3}
				maxLength={MAX_TAG_DESCRIPTION}
				defaultValue={refusal?.values.description ?? tag.description}
				error={refusal?.errors.description}
				hint={`Plain text, at most ${MAX_TAG_DESCRIPTION} characters.`}
			/>
			<div className="flex gap-2">
				<SubmitButton busyLabel="Saving..." action={address}>
					Save
				</SubmitButton>
				<Link className="btn btn-ghost" to={tagPath(tag.name)}>
					Cancel
				</Link>
			</div>
		</Form>
	)
}
