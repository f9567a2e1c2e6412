import { Link } from 'react-router'
import type { Introduction } from '~/features/profiles/profiles.present.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { RuleHead } from '~/ui/rule-head.tsx'
import { profilePath } from '../forum.paths.ts'
import type { AuthorView } from '../forum.present.ts'

/** Who asked, beside the query; their name stands above its text for narrow screens. */
export function AskedBy({ author, introduction }: { author: AuthorView; introduction: Introduction }) {
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
		</aside>
	)
}
