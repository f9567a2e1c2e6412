import type { ReactNode } from 'react'
import { Form, Link } from './link.tsx'

interface FilterFormProps {
	/** The page of the list. */
	path: string
	/** Where a POST downloads the list as CSV. */
	csvPath: string
	/** The present filters, by the names of their fields. */
	filters: object
	/** The class of the number of columns on a wide screen. */
	columns: string
	submitLabel: string
	/** The fields. */
	children: ReactNode
}

/** The filters above a list for staff, and a button that downloads what they match. */
export function FilterForm({ path, csvPath, filters, columns, submitLabel, children }: FilterFormProps) {
	return (
		<>
			<Form className={`mt-5 grid gap-4 ${columns}`} role="search" action={path}>
				{children}
				<p className="flex flex-wrap gap-2 sm:col-span-full">
					<button className="btn btn-primary" type="submit">
						{submitLabel}
					</button>
					<Link className="btn btn-ghost" to={path}>
						Clear
					</Link>
				</p>
			</Form>
			<form className="mt-4" method="post" action={csvPath}>
				<FilterValues filters={filters} />
				<button className="btn btn-sm btn-outline" type="submit">
					Download these as CSV
				</button>
			</form>
		</>
	)
}

/** Hidden fields with the filters, for forms about what they match. */
export function FilterValues({ filters }: { filters: object }) {
	return Object.entries(filters).map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />)
}
