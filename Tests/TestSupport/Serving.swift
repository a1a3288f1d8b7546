public import Links

/// Serves a card on its own thread until the link ends.
public func serving(
  _ link: some EmulationLink, _ responder: ScriptedResponder
) -> DedicatedThread<Void, LinkError> {
  DedicatedThread(named: "card") { () throws(LinkError) in
    var responder = responder
    try link.serve(&responder)
  }
}

/// Returns the error that the closure throws, or nil.
public func linkError(_ work: () throws(LinkError) -> Void) -> LinkError? {
  do throws(LinkError) {
    try work()
    return nil
  } catch {
    return error
  }
}
