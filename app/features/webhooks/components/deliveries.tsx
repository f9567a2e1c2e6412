import { Form } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { type DeliveryView, eventLabels, TEST_EVENT } from '../webhooks.view.ts'

/** The newest deliveries of a webhook. @param action the address of the forms that send one again */
export function Deliveries({ deliveries, action }: { deliveries: DeliveryView[]; action: string }) {
	if (deliveries.length === 0) return <p className="mt-3 text-ink-2">Nothing has happened yet.</p>
	return (
		<ul>
			{deliveries.map((delivery) => (
				<li key={delivery.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-3">
					<div className="min-w-0 flex-1 basis-60">
						<p>{labelOf(delivery)}</p>
						<p className="meta wrap-anywhere">
							<LocalTime at={delivery.createdAt} />: {stateOf(delivery)}
						</p>
					</div>
					{delivery.state !== 'waiting' && (
						<Form method="post" action={action} preventScrollReset>
							<input type="hidden" name="intent" value="again" />
							<SubmitButton
								className="btn btn-sm btn-ghost"
								busyLabel="Sending..."
								action={action}
								name="delivery"
								value={delivery.id}
								aria-label={`Send again: ${labelOf(delivery)}, ${delivery.createdAt.slice(0, 19).replace('T', ' ')} UTC`}
							>
								Send again
							</SubmitButton>
						</Form>
					)}
				</li>
			))}
		</ul>
	)
}

function labelOf({ event }: DeliveryView): string {
	return event === TEST_EVENT ? 'Test' : eventLabels[event]
}

function stateOf({ state, status, error, tries }: DeliveryView): string {
	if (state === 'sent') return `sent, answered ${status}`
	if (state === 'skipped') return 'not sent, as not everybody here could read it'
	if (state === 'failed') return `failed: ${error}`
	return tries === 0 ? 'waiting' : `waiting for try ${tries + 1}: ${error}`
}
