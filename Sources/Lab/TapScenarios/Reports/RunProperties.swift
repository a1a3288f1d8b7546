/// What a run and its series were made with: reader or link, card and terminal, versions.
public struct RunProperties: Sendable {
  /// A name and its value.
  public typealias Property = (name: String, value: String)

  /// Those of the whole run.
  public let run: [Property]
  private let series: @Sendable (ScenarioSeries) -> [Property]

  /// Creates properties.
  ///
  /// - Parameters:
  ///   - run: Those of the whole run.
  ///   - series: Returns those of a series; one with the name of a property of the run takes its place.
  public init(
    _ run: [Property] = [], series: @escaping @Sendable (ScenarioSeries) -> [Property] = { _ in [] }
  ) {
    (self.run, self.series) = (run, series)
  }

  /// The properties that a series has of its own.
  public func own(of series: ScenarioSeries) -> [Property] { self.series(series) }

  /// All properties of a series: those of the run, and its own.
  public func all(of series: ScenarioSeries) -> [Property] {
    let own = own(of: series)
    return run.map { property in own.first { $0.name == property.name } ?? property }
      + own.filter { property in !run.contains { $0.name == property.name } }
  }
}
