internal import EMVTerminal

// The display of the terminal in one payment: shows a request, and keeps all of them in order.
struct Display {
  private let show: @Sendable (UserInterfaceRequest) -> Void
  private(set) var shown: [UserInterfaceRequest] = []

  init(_ show: @escaping @Sendable (UserInterfaceRequest) -> Void) { self.show = show }

  // A request that is shown already changes nothing.
  mutating func show(_ request: UserInterfaceRequest) {
    guard shown.last != request else { return }
    shown.append(request)
    show(request)
  }

  // Forgets a payment that has not begun.
  mutating func reset() { shown = [] }
}
