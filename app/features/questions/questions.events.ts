/** The room of the tabs that show a query. */
export function readersOf(queryId: number): string {
	return `query:${queryId}`
}
