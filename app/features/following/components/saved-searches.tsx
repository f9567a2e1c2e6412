import { useRef } from 'react'
import { useRootData } from '~/lib/root-data.ts'
import { Field } from '~/ui/field.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { useFocusFallback } from '~/ui/use-focus-kept.ts'
import { MAX_SEARCH_NAME } from '../following.limits.ts'
import { type SaveableSearch, type SavedSearchView, savedSearchPath } from '../following.view.ts'

/** A form that opens in place and saves the search of a page of results. Members only. */
export function SaveSearch({ search: { kind, query, name } }: { search: SaveableSearch }) {
	if (!useRootData().viewer) return null
	return (
		// A new key for another search closes the form and resets the name.
		<details key={`${kind} ${query}`} className="mt-3">
			<summary className="quiet-link w-fit cursor-pointer py-1 text-sm text-ink-2">Save this search</summary>
			<Form method="post" action="/following" className="mt-2 flex max-w-[30rem] flex-wrap items-end gap-3">
				<input type="hidden" name="intent" value="save" />
				<input type="hidden" name="kind" value={kind} />
				<input type="hidden" name="query" value={query} />
				<div className="min-w-0 flex-1 basis-[14rem]">
					<Field
						label="Name of the search"
						name="name"
						id={`search-name-${kind}`}
						defaultValue={name.slice(0, MAX_SEARCH_NAME)}
						maxLength={MAX_SEARCH_NAME}
						required
					/>
				</div>
				<SubmitButton className="btn btn-outline" busyLabel="Saving..." action="/following" name="choice" value={kind}>
					Save
				</SubmitButton>
			</Form>
			<p className="meta mt-2">You are notified of new results, at most once a day.</p>
		</details>
	)
}

/** A member's saved searches with the number of new results. */
export function SavedSearches({ searches }: { searches: SavedSearchView[] }) {
	const heading = useRef<HTMLHeadingElement>(null)
	useFocusFallback(searches.length, (count, before) => count < before, heading)
	return (
		<section className="mt-8" aria-labelledby="saved-searches">
			<SectionHeading id="saved-searches" title="Saved searches" place={heading}>
				<span>{searches.length}</span>
			</SectionHeading>
			{searches.length === 0 ? (
				<p className="py-2 text-ink-2">
					Search for queries or people and press “Save this search”: you are told when there are new results.
				</p>
			) : (
				<ul>
					{searches.map((search) => (
						<li key={search.id} className="flex items-center gap-3 border-b border-line py-2">
							<span className="cat flex-none">{search.kind === 'people' ? 'People' : 'Queries'}</span>
							<Link className="quiet-link min-w-0 flex-1 font-semibold wrap-anywhere" to={savedSearchPath(search.id)}>
								{search.name}
							</Link>
							{search.newResults > 0 && <span className="badge flex-none">{search.newResults} new</span>}
							<Form method="post" action="/following" className="flex flex-none" replace preventScrollReset>
								<input type="hidden" name="id" value={search.id} />
								<button
									className="btn btn-sm btn-ghost text-ink-2"
									type="submit"
									name="intent"
									value="remove"
									aria-label={`Remove the search ${search.name}`}
								>
									Remove
								</button>
							</Form>
						</li>
					))}
				</ul>
			)}
		</section>
	)
}
