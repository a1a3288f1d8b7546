import TapScenarios

extension TestedLink {
  /// What a run with this link was made with: the terminal, and for each scenario its card.
  ///
  /// - Parameter capabilities: Those of the terminal; nil when they are not known.
  func properties(_ capabilities: TestedCapabilities?) -> RunProperties {
    let isOwn = if case .ownTerminal = self { true } else { false }
    let standard = TestedCapabilities(profile: ShippedTerminal.everyCard)
    let profile = isOwn ? [(name: "terminal profile", value: standard.product)] : []
    let unknown = [(name: "terminal", value: "not described: --capabilities FILE names its kernels, AIDs and limits")]
    let terminal = (capabilities ?? (isOwn ? standard : nil))?.properties ?? unknown
    return RunProperties([(name: "link", value: name)] + profile + terminal + BuildVersion.properties) { series in
      (series.cardProfile.map { [(name: "card profile", value: $0)] } ?? [])
        + (isOwn ? series.terminalProfile.map { [(name: "terminal profile", value: $0)] } ?? [] : [])
    }
  }
}

extension TestReader {
  /// What a run with this reader was made with: for each scenario its card, where it names one, and the terminal of a
  /// payment.
  var properties: RunProperties {
    let standard = TestedCapabilities(profile: ShippedTerminal.profile).product
    return RunProperties([(name: "reader", value: name)] + BuildVersion.properties) { series in
      let own = reader == nil ? [(name: "reader", value: name(of: series))] : []
      // A scenario with steps has an identifier, and no terminal. A recording has a terminal of its own.
      let other = series.id == nil && !isRecorded ? standard : nil
      return own + ((series.terminalProfile ?? other).map { [(name: "terminal profile", value: $0)] } ?? [])
    }
  }
}
