import { MessageSquare } from 'lucide-react'
import { Link } from 'react-router'
import type { Introduction } from '~/features/members/members.view.ts'
import { useRootData } from '~/lib/root-data.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { RuleHead } from '~/ui/rule-head.tsx'
import type { AuthorView } from '../../question.view.ts'
import { profilePath } from '../../questions.paths.ts'

/** Who asked, beside the query; their name stands above its text for narrow screens. */
export function AskedBy({ author, introduction }: { author: AuthorView; introduction: Introduction }) {
	const { viewer } = useRootData()
	return (
		<aside className="pt-11 max-lg:hidden" aria-label="About this query">
			<RuleHead title="Asked by" />
			<div className="flex items-center gap-3 pb-1">
				<Avatar user={author} size={40} />
				<div className="min-w-0">
					<p className="font-semibold wrap-anywhere">
						<Link className="quiet-link" to={profilePath(author.username)}>
							{author.name}
						</Link>
					</p>
					{introduction.line ? (
						<p className="meta wrap-anywhere">{introduction.line}</p>
					) : (
						<p className="handle truncate">@{author.username}</p>
					)}
				</div>
			</div>
			{!introduction.imported && viewer?.username !== author.username && (
				<Link className="btn btn-accent btn-sm mt-2 w-full" to={`/messages/${author.username}`} rel="nofollow">
					<MessageSquare className="icon icon-sm" aria-hidden="true" />
					Chat<span className="sr-only"> with {author.name}</span>
				</Link>
			)}
		</aside>
	)
}
