import ArgumentParser

@main
struct TapServer: ParsableCommand {}
