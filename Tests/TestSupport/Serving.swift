public import Links

/// Serves a card on a thread of its own until the link ends.
public func serving(
  _ link: some EmulationLink, _ responder: ScriptedResponder
) -> DedicatedThread<Void, LinkError> {
  DedicatedThread(named: "card") { () throws(LinkError) in
    var responder = responder
    try link.serve(&responder)
  }
}

/// The error that a piece of work ends with, or nil when it succeeds.
public func linkError(_ work: () throws(LinkError) -> Void) -> LinkError? {
  do throws(LinkError) {
    try work()
    return nil
  } catch {
    return error
  }
}
